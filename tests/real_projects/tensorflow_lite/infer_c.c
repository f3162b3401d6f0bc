/* usage: infer_c MODEL RUNS: what infer.cc does, by the C interface. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tensorflow/lite/c/c_api.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  TfLiteModel* model = TfLiteModelCreateFromFile(argv[1]);
  if (!model) return 3;
  TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreterOptionsSetNumThreads(options, 1);
  TfLiteInterpreter* interpreter = TfLiteInterpreterCreate(model, options);
  if (!interpreter) return 4;
  if (TfLiteInterpreterAllocateTensors(interpreter) != kTfLiteOk) return 5;
  TfLiteTensor* input = TfLiteInterpreterGetInputTensor(interpreter, 0);
  size_t bytes = TfLiteTensorByteSize(input), i;
  uint32_t state = 214;
  if (TfLiteTensorType(input) == kTfLiteFloat32) {
    float* values = TfLiteTensorData(input);
    for (i = 0; i < bytes / sizeof(float); ++i) {
      state = state * 1664525u + 1013904223u;
      values[i] = ((int)(state >> 24) - 128) / 128.0f;
    }
  } else {
    int8_t* values = TfLiteTensorData(input);
    for (i = 0; i < bytes; ++i) {
      state = state * 1664525u + 1013904223u;
      values[i] = (int8_t)((int)(state >> 24) - 128);
    }
  }
  double best = 1e9;
  for (int run = 0; run < atoi(argv[2]); ++run) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    if (TfLiteInterpreterInvoke(interpreter) != kTfLiteOk) return 6;
    clock_gettime(CLOCK_MONOTONIC, &end);
    double took = (end.tv_sec - start.tv_sec) * 1e3 + (end.tv_nsec - start.tv_nsec) / 1e6;
    if (took < best) best = took;
  }
  const TfLiteTensor* output = TfLiteInterpreterGetOutputTensor(interpreter, 0);
  const unsigned char* data = TfLiteTensorData(output);
  for (i = 0; i < TfLiteTensorByteSize(output); ++i) printf("%02x", data[i]);
  printf("\n%.4f\n", best);
  TfLiteInterpreterDelete(interpreter);
  TfLiteInterpreterOptionsDelete(options);
  TfLiteModelDelete(model);
  return 0;
}
