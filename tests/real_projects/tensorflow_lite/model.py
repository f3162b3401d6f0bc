#!/usr/bin/env python3
"""Writes a small model for TensorFlow Lite as JSON of its schema; `flatc --binary` makes the model of it.

    tests/real_projects/tensorflow_lite/model.py [--quantized] > model.json

An image of 32 x 32 x 3 goes through a convolution, a depthwise convolution, the sum of both, pooling, a reshape, a
fully connected layer, and softmax: in float32, or with --quantized in int8.  Weights come from a seed.
"""

from __future__ import annotations

import argparse
import json
import random
import struct
import sys
from collections.abc import Sequence

SIDE, CHANNELS, CLASSES = 32, 16, 10
SEED = 214


class Model:
    """The tables of a flatbuffer, as they grow; tensors are referred to by their number."""

    def __init__(self, *, quantized: bool):
        self.quantized = quantized
        self.random = random.Random(SEED)
        self.buffers: list[dict[str, object]] = [{}]
        self.tensors: list[dict[str, object]] = []
        self.codes: list[str] = []
        self.operators: list[dict[str, object]] = []

    def tensor(
        self, name: str, shape: Sequence[int], scale: float, *, kind: str = "", content: bytes = b"", zero: int = 0
    ) -> int:
        number = 0
        if content:
            number = len(self.buffers)
            self.buffers.append({"data": list(content)})
        table: dict[str, object] = {"name": name, "shape": list(shape), "buffer": number}
        table["type"] = kind or ("INT8" if self.quantized else "FLOAT32")
        if scale and self.quantized:
            table["quantization"] = {"scale": [scale], "zero_point": [zero]}
        self.tensors.append(table)
        return len(self.tensors) - 1

    def weights(self, name: str, shape: Sequence[int], scale: float) -> int:
        values = [self.random.randint(-127, 127) for _ in range(_product(shape))]
        pack = f"<{len(values)}b" if self.quantized else f"<{len(values)}f"
        content = struct.pack(pack, *(value if self.quantized else value * scale for value in values))
        return self.tensor(name, shape, scale, content=content)

    def bias(self, name: str, size: int, scale: float) -> int:
        values = [self.random.randint(-2000, 2000) for _ in range(size)]
        if self.quantized:
            return self.tensor(name, [size], scale, kind="INT32", content=struct.pack(f"<{size}i", *values))
        content = struct.pack(f"<{size}f", *(value * scale for value in values))
        return self.tensor(name, [size], scale, content=content)

    def operator(
        self, code: str, options: str, inputs: Sequence[int], output: int, **settings: int | str | list[int]
    ) -> int:
        if code not in self.codes:
            self.codes.append(code)
        self.operators.append(
            {
                "opcode_index": self.codes.index(code),
                "inputs": list(inputs),
                "outputs": [output],
                "builtin_options_type": options,
                "builtin_options": settings,
            }
        )
        return output

    def document(self, inputs: Sequence[int], outputs: Sequence[int]) -> dict[str, object]:
        version = {"CONV_2D": 3, "DEPTHWISE_CONV_2D": 3, "FULLY_CONNECTED": 4} if self.quantized else {}
        quantized = 2 if self.quantized else 1
        codes = [
            {
                "deprecated_builtin_code": _NUMBERS[code],
                "builtin_code": code,
                "version": 1 if code == "RESHAPE" else version.get(code, quantized),
            }
            for code in self.codes
        ]
        subgraph = {"tensors": self.tensors, "inputs": inputs, "outputs": outputs, "operators": self.operators}
        return {"version": 3, "operator_codes": codes, "subgraphs": [subgraph], "buffers": self.buffers}


# The values of BuiltinOperator in schema.fbs: readers want a small one in the deprecated field, too.
_NUMBERS = {
    "ADD": 0,
    "AVERAGE_POOL_2D": 1,
    "CONV_2D": 3,
    "DEPTHWISE_CONV_2D": 4,
    "FULLY_CONNECTED": 9,
    "RESHAPE": 22,
    "SOFTMAX": 25,
}


def _product(shape: Sequence[int]) -> int:
    product = 1
    for size in shape:
        product *= size
    return product


def model(*, quantized: bool) -> dict[str, object]:
    """The document; each number after a shape is the size of a step of the values, which int8 counts."""
    made = Model(quantized=quantized)
    image = made.tensor("image", [1, SIDE, SIDE, 3], 1 / 128)
    first = made.operator(
        "CONV_2D",
        "Conv2DOptions",
        [image, made.weights("w1", [CHANNELS, 3, 3, 3], 1 / 256), made.bias("b1", CHANNELS, 1 / (128 * 256))],
        made.tensor("conv", [1, SIDE, SIDE, CHANNELS], 1 / 32, zero=-128),
        padding="SAME",
        stride_w=1,
        stride_h=1,
        fused_activation_function="RELU",
    )
    second = made.operator(
        "DEPTHWISE_CONV_2D",
        "DepthwiseConv2DOptions",
        [first, made.weights("w2", [1, 3, 3, CHANNELS], 1 / 512), made.bias("b2", CHANNELS, 1 / (32 * 512))],
        made.tensor("depthwise", [1, SIDE, SIDE, CHANNELS], 1 / 16),
        padding="SAME",
        stride_w=1,
        stride_h=1,
        depth_multiplier=1,
    )
    total = made.operator("ADD", "AddOptions", [first, second], made.tensor("sum", [1, SIDE, SIDE, CHANNELS], 1 / 16))
    pooled = made.operator(
        "AVERAGE_POOL_2D",
        "Pool2DOptions",
        [total],
        made.tensor("pool", [1, SIDE // 4, SIDE // 4, CHANNELS], 1 / 16),
        padding="VALID",
        stride_w=4,
        stride_h=4,
        filter_width=4,
        filter_height=4,
    )
    size = SIDE // 4 * (SIDE // 4) * CHANNELS
    shape = made.tensor("shape", [2], 0, kind="INT32", content=struct.pack("<2i", 1, size))
    flat = made.operator(
        "RESHAPE", "ReshapeOptions", [pooled, shape], made.tensor("flat", [1, size], 1 / 16), new_shape=[1, size]
    )
    logits = made.operator(
        "FULLY_CONNECTED",
        "FullyConnectedOptions",
        [flat, made.weights("w3", [CLASSES, size], 1 / 2048), made.bias("b3", CLASSES, 1 / (16 * 2048))],
        made.tensor("logits", [1, CLASSES], 1 / 4),
    )
    result = made.operator(
        "SOFTMAX", "SoftmaxOptions", [logits], made.tensor("classes", [1, CLASSES], 1 / 256, zero=-128), beta=1
    )
    return made.document([image], [result])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quantized", action="store_true", help="int8 instead of float32")
    json.dump(model(quantized=parser.parse_args().quantized), sys.stdout)


if __name__ == "__main__":
    main()
