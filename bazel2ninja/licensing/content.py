"""What a file is, told from its bytes: text in some encoding, or a kind of binary."""

from __future__ import annotations

import posixpath
import re

HEAD = 8192  # bytes looked at to tell text from binary

_MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x7fELF", "elf"),
    (0, b"\xfe\xed\xfa\xce", "mach-o"),
    (0, b"\xfe\xed\xfa\xcf", "mach-o"),
    (0, b"\xcf\xfa\xed\xfe", "mach-o"),
    (0, b"\xce\xfa\xed\xfe", "mach-o"),
    (0, b"\xca\xfe\xba\xbe", "java-class"),
    (0, b"!<arch>\n", "static-library"),
    (0, b"PK\x03\x04", "zip"),
    (0, b"PK\x05\x06", "zip"),
    (0, b"\x1f\x8b", "gzip"),
    (0, b"BZh", "bzip2"),
    (0, b"\xfd7zXZ\x00", "xz"),
    (0, b"\x28\xb5\x2f\xfd", "zstd"),
    (0, b"7z\xbc\xaf\x27\x1c", "7z"),
    (0, b"Rar!\x1a\x07", "rar"),
    (0, b"\x89PNG\r\n\x1a\n", "png"),
    (0, b"\xff\xd8\xff", "jpeg"),
    (0, b"GIF8", "gif"),
    (0, b"II*\x00", "tiff"),
    (0, b"MM\x00*", "tiff"),
    (8, b"WEBP", "webp"),
    (0, b"%PDF-", "pdf"),
    (0, b"wOFF", "font"),
    (0, b"wOF2", "font"),
    (0, b"\x00\x01\x00\x00\x00", "font"),
    (0, b"OTTO", "font"),
    (0, b"true\x00", "font"),
    (0, b"%!PS-AdobeFont", "font"),
    (8, b"WAVE", "audio"),
    (0, b"ID3", "audio"),
    (0, b"OggS", "audio"),
    (0, b"fLaC", "audio"),
    (8, b"AVI ", "video"),
    (4, b"ftyp", "video"),
    (0, b"\x1aE\xdf\xa3", "video"),
    (0, b"BC\xc0\xde", "llvm-bitcode"),
    (0, b"\x00asm", "wasm"),
    (0, b"\x89HDF\r\n", "model"),
    (4, b"TFL3", "model"),
    (0, b"\x93NUMPY", "data-array"),
    (0, b"SQLite format 3\x00", "database"),
    (0, b"PACK", "git-pack"),
    (0, b"Kaydara FBX Binary", "3d-model"),
    (0, b"glTF", "3d-model"),
    (0, b"BLENDER", "3d-model"),
    (0, b"BLEND", "3d-model"),
)

_BY_EXTENSION = {
    ".bmp": "bmp",
    ".ico": "ico",
    ".tga": "tga",
    ".mp3": "audio",
    ".pyc": "python-bytecode",
    ".pb": "protocol-buffer",
    ".onnx": "model",
    ".tflite": "model",
    ".lite": "model",
    ".caffemodel": "model",
    ".pt": "model",
    ".pth": "model",
    ".ckpt": "model",
    ".h5": "model",
    ".mb": "model",
    ".weights": "model",
    ".gmo": "message-catalogue",
    ".mo": "message-catalogue",
    ".exe": "windows-program",
    ".dll": "windows-program",
    ".tar": "tar",
    ".3ds": "3d-model",
    ".ttf": "font",
    ".pfb": "font",
}

PROGRAMS = frozenset(
    [
        "elf",
        "mach-o",
        "java-class",
        "static-library",
        "llvm-bitcode",
        "wasm",
        "windows-program",
        "python-bytecode",
        "jar",
        "zip-of-classes",
    ]
)
ARCHIVES = frozenset(["zip", "gzip", "bzip2", "xz", "zstd", "7z", "rar", "tar", "split-archive", "git-pack"])
IMAGES = frozenset(["png", "jpeg", "gif", "tiff", "webp", "bmp", "ico", "tga"])
MEDIA = frozenset(["audio", "video"])
MODELS = frozenset(["model", "protocol-buffer", "data-array", "3d-model"])

_PART = re.compile(r"\.(?:[a-z]{2,3}|\d{2,3})")  # as split(1) and archivers name the parts of a file
_MARKS = (
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_WIDE = 64  # bytes without a mark that are enough to tell
# which of four successive bytes are NUL in text whose letters are mostly ASCII
_ZEROS: dict[tuple[bool, ...], str] = {
    (False, True, False, True): "utf-16-le",
    (True, False, True, False): "utf-16-be",
    (False, True, True, True): "utf-32-le",
    (True, True, True, False): "utf-32-be",
}
_SUSPICIOUS = bytes(set(range(32)) - {7, 8, 9, 10, 11, 12, 13, 26, 27})


def binary_kind(path: str, head: bytes) -> str | None:
    """The kind of a binary file from its first bytes (HEAD of them), None for text (an empty file is text)."""
    if head[:2] == b"MZ" and b"\x00" in head:
        return "windows-program"
    for offset, magic, kind in _MAGIC:
        if head.startswith(magic, offset):
            name = path.lower()
            if kind == "zip":
                extension = posixpath.splitext(name)[1]
                if extension in (".jar", ".war", ".aar", ".apk"):
                    return "jar"
                if extension in (".whl", ".egg"):
                    return "zip"
            if kind in ("bzip2", "git-pack", "3d-model", "audio") and b"\x00" not in head:
                continue  # "BZh", "PACK" or "BLEND" may begin a text as well
            return kind
    if is_text(head):
        return None
    name = posixpath.basename(path.lower())
    stem, extension = posixpath.splitext(name)
    if head[:2] == b"BM" and extension in ("", ".bmp"):
        return "bmp"
    if _PART.fullmatch(extension) and posixpath.splitext(stem)[1] in (".gz", ".xz", ".zip", ".bz2", ".zst", ".7z"):
        return "split-archive"  # x.gz.aa, x.gz.ab: the first part shows its magic, the others do not
    if ".data-0000" in name or name.startswith("model.ckpt"):
        return "model"
    return _BY_EXTENSION.get(extension, "data")


def is_text(head: bytes) -> bool:
    """Whether bytes look like text: UTF-16 or UTF-32, or few control characters and no NUL."""
    if _wide_encoding(head):
        return True
    if b"\x00" in head:
        return False
    control = len(head) - len(head.translate(None, _SUSPICIOUS))
    return control * 50 <= len(head)


def _wide_encoding(head: bytes) -> str:
    """The codec for text of two or four bytes a character, by its mark or by where its NULs are; "" for others."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    count = len(head) // 4 * 4
    if count < _WIDE:
        return ""
    zeros = tuple(head[offset:count:4].count(0) * 4 > count * 0.7 for offset in range(4))
    name = _ZEROS.get(zeros, "")
    if not name:
        return ""
    text = head[:count].decode(name, "replace")
    return name if sum(c.isprintable() or c.isspace() for c in text) > 0.95 * len(text) else ""


def decode(data: bytes) -> tuple[str, str]:
    """(text, encoding): UTF-8, UTF-16 or UTF-32 by mark or look, else Latin-1, which reads anything."""
    wide = _wide_encoding(data[:HEAD])
    if wide:
        return data.decode(wide, "replace").removeprefix("\ufeff"), wide.removesuffix("-le").removesuffix("-be")
    try:
        return data.decode("utf-8-sig" if data[:3] == b"\xef\xbb\xbf" else "utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        if error.end >= len(data) - 3 and error.start > len(data) - 4:
            return data[: error.start].decode("utf-8"), "utf-8"  # cut in the middle of a character
        return data.decode("latin-1"), "latin-1"
