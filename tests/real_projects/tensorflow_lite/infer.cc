// usage: infer MODEL RUNS
// One inference by C++'s interface of TensorFlow Lite, its output as bytes in hexadecimal, then the milliseconds of a
// run, the shortest of RUNS.  The input comes from a generator with a fixed seed.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "tensorflow/lite/interpreter.h"
#include "tensorflow/lite/kernels/register.h"
#include "tensorflow/lite/model.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  auto model = tflite::FlatBufferModel::BuildFromFile(argv[1]);
  if (!model) return 3;
  tflite::ops::builtin::BuiltinOpResolver resolver;
  std::unique_ptr<tflite::Interpreter> interpreter;
  if (tflite::InterpreterBuilder(*model, resolver)(&interpreter) != kTfLiteOk) return 4;
  interpreter->SetNumThreads(1);
  if (interpreter->AllocateTensors() != kTfLiteOk) return 5;
  TfLiteTensor* input = interpreter->input_tensor(0);
  uint32_t state = 214;
  auto next = [&state] { return (state = state * 1664525u + 1013904223u) >> 24; };
  if (input->type == kTfLiteFloat32) {
    for (size_t i = 0; i < input->bytes / sizeof(float); ++i) input->data.f[i] = (int(next()) - 128) / 128.0f;
  } else {
    for (size_t i = 0; i < input->bytes; ++i) input->data.int8[i] = int8_t(int(next()) - 128);
  }
  double best = 1e9;
  for (int run = 0; run < std::atoi(argv[2]); ++run) {
    auto start = std::chrono::steady_clock::now();
    if (interpreter->Invoke() != kTfLiteOk) return 6;
    std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  const TfLiteTensor* output = interpreter->output_tensor(0);
  for (size_t i = 0; i < output->bytes; ++i) std::printf("%02x", static_cast<unsigned char>(output->data.raw[i]));
  std::printf("\n%.4f\n", best);
}
