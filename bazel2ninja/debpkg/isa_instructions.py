"""Which level of the x86-64 psABI an instruction needs.

Levels: https://gitlab.com/x86-psABIs/x86-64-ABI, "Micro-Architecture Levels".  Mnemonics are those of objdump in AT&T
syntax: an operand-size suffix may follow.
"""

from __future__ import annotations

import re

LEVELS = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")
BEYOND = "beyond x86-64-v4"

# tzcnt is not here: processors without BMI run it as bsf, and compilers emit it for the baseline on purpose.
# xgetbv, cpuid and the like are what run-time dispatch itself is made of.
_TABLES: tuple[tuple[int, str, str], ...] = (
    (1, "SSE3", "addsubp[sd] haddp[sd] hsubp[sd] lddqu movddup movs[hl]dup fisttp[sl]*l?"),
    (1, "SSSE3", "pabs[bwd] palignr phadd(w|d|sw) phsub(w|d|sw) pmaddubsw pmulhrsw pshufb psign[bwd]"),
    (
        1,
        "SSE4.1",
        "blendv?p[sd] dpp[sd] extractps insertps movntdqa mpsadbw packusdw pblend(vb|w) pcmpeqq pextr[bdq] phminposuw",
    ),
    (
        1,
        "SSE4.1",
        "pinsr[bdq] pmaxs[bd] pmaxu[wd] pmins[bd] pminu[wd] pmov[sz]x[bwd][wdq] pmuldq pmulld ptest round[ps][sd]",
    ),
    (1, "SSE4.2", "crc32[bwlq]? pcmp[ei]str[im]q? pcmpgtq"),
    (1, "POPCNT", "popcnt[wlq]?"),
    (1, "CMPXCHG16B", "cmpxchg16b"),
    (2, "BMI1", "andn[lq]? bextr[lq]? bls(i|msk|r)[lq]?"),
    (2, "BMI2", "bzhi[lq]? mulx[lq]? pdep[lq]? pext[lq]? rorx[lq]? (sar|shl|shr)x[lq]?"),
    (2, "LZCNT", "lzcnt[wlq]?"),
    (2, "MOVBE", "movbe[wlq]?"),
    (4, "AES", "v?aes(enc|dec)(last)? v?aes(imc|keygenassist)"),
    (4, "PCLMUL", "v?pclmul[lh]?q?[lh]?q?(h|l)?qdq v?pclmulqdq"),
    (4, "SHA", "sha1(rnds4|nexte|msg[12]) sha256(rnds2|msg[12])"),
    (4, "ADX", "adcx[lq]? adox[lq]?"),
    (4, "RDRAND", "rdrand[wlq]? rdseed[wlq]?"),
    (4, "GFNI", "v?gf2p8(affineinvqb|affineqb|mulb)"),
    (4, "AMX", "tile(load|store|zero|release).* (ld|st)tilecfg tdp.*"),
    (4, "AVX512-VNNI", "vpdp(busd|wssd)s?"),
    (4, "AVX512-VPOPCNTDQ", "vpopcnt[bwdq] vpshufbitqmb"),
    (4, "AVX512-IFMA", "vpmadd52[lh]uq"),
    (4, "AVX512-VBMI", "vperm(i2|t2|)b vpmultishiftqb vp(compress|expand)[bw] vpsh[lr]dv?[wdq]"),
    (4, "AVX512-BF16", "vcvtne2?ps2?bf16.* vdpbf16ps"),
    (4, "FMA4", "vfn?m(add|sub)[ps][sd]"),
)
_EXACT = tuple(
    (re.compile("|".join(f"(?:{pattern})" for pattern in patterns.split())), level, name)
    for level, name, patterns in _TABLES
)
_SYSTEM = re.compile(
    r"ver[rw]|vm(call|clear|func|launch|load|mcall|ptrld|ptrst|read.*|resume|run|save|write.*|xoff|xon)"
)
_MASK_INSTRUCTION = re.compile(r"k(add|andn?|mov|notw?|or|ortest|shift[lr]|test|unpck|xn?or)[a-z]*")
_WIDE = re.compile(r"%zmm|%[xy]mm(1[6-9]|2\d|3[01])\b|\{%k[0-7]\}|%k[0-7]\b")
_FMA = re.compile(r"vfn?m(add|sub)(sub|add)?(132|213|231)[ps][sd]")
_F16C = re.compile(r"vcvtp(h2ps|s2ph)")


def requirement(mnemonic: str, operands: str) -> tuple[int, str]:
    """(index into LEVELS, 4 for beyond all of them; name of the extension) of one instruction; (0, "") for baseline."""
    for pattern, level, name in _EXACT:
        if pattern.fullmatch(mnemonic):
            return level, name
    if _MASK_INSTRUCTION.fullmatch(mnemonic) and "%k" in operands:
        return 3, "AVX512"
    if mnemonic.startswith("v") and not _SYSTEM.fullmatch(mnemonic):
        if _WIDE.search(operands):
            return 3, "AVX512"
        if _FMA.fullmatch(mnemonic):
            return 2, "FMA"
        return (2, "F16C") if _F16C.fullmatch(mnemonic) else (2, "AVX")
    return 0, ""


def operands_matter(mnemonic: str) -> bool:
    """Whether requirement() depends on more than the mnemonic."""
    return mnemonic.startswith("v") or _MASK_INSTRUCTION.fullmatch(mnemonic) is not None


def level_name(level: int) -> str:
    return LEVELS[level] if level < len(LEVELS) else BEYOND
