/* What the framework alone offers C: a tensor, an operation of one's own, four threads, a file; prints one line. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/env.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"

/* tensorflow/c/ops.h names its types without "struct", which C++ alone takes */
typedef struct TF_OpDefinitionBuilder TF_OpDefinitionBuilder;
TF_OpDefinitionBuilder* TF_NewOpDefinitionBuilder(const char* name);
void TF_OpDefinitionBuilderAddInput(TF_OpDefinitionBuilder* builder, const char* text);
void TF_OpDefinitionBuilderAddOutput(TF_OpDefinitionBuilder* builder, const char* text);
void TF_RegisterOpDefinition(TF_OpDefinitionBuilder* builder, TF_Status* status);

enum { ROWS = 4, COLUMNS = 1000 };

struct row {
  const float* values;
  double sum;
};

static void add(void* given) {
  struct row* row = given;
  row->sum = 0;
  for (int i = 0; i < COLUMNS; i++) row->sum += row->values[i];
}

static void check(TF_Status* status, const char* what) {
  if (TF_GetCode(status) != TF_OK) {
    fprintf(stderr, "%s: %s\n", what, TF_Message(status));
    exit(1);
  }
}

int main(int count, char** words) {
  TF_Status* status = TF_NewStatus();

  const int64_t shape[] = {ROWS, COLUMNS};
  TF_Tensor* tensor = TF_AllocateTensor(TF_FLOAT, shape, 2, ROWS * COLUMNS * TF_DataTypeSize(TF_FLOAT));
  float* values = TF_TensorData(tensor);
  for (int64_t i = 0; i < TF_TensorElementCount(tensor); i++) values[i] = (float)(i % 7);

  struct row rows[ROWS];
  TF_Thread* threads[ROWS];
  TF_ThreadOptions options;
  TF_DefaultThreadOptions(&options);
  for (int i = 0; i < ROWS; i++) {
    rows[i].values = values + i * COLUMNS;
    threads[i] = TF_StartThread(&options, "adder", add, &rows[i]);
  }
  double sum = 0;
  for (int i = 0; i < ROWS; i++) {
    TF_JoinThread(threads[i]);
    sum += rows[i].sum;
  }

  TF_OpDefinitionBuilder* builder = TF_NewOpDefinitionBuilder("OfThisProgram");
  TF_OpDefinitionBuilderAddInput(builder, "x: float");
  TF_OpDefinitionBuilderAddOutput(builder, "y: float");
  TF_RegisterOpDefinition(builder, status);
  check(status, "operation");

  char line[64];
  const int length = snprintf(line, sizeof line, "%lld %zu %.0f\n", (long long)TF_Dim(tensor, 1), TF_TensorByteSize(tensor), sum);
  TF_WritableFileHandle* file;
  TF_NewWritableFile(count > 1 ? words[1] : "framework.txt", &file, status);
  check(status, "file");
  TF_AppendWritableFile(file, line, (size_t)length, status);
  check(status, "append");
  TF_CloseWritableFile(file, status);
  check(status, "close");

  TF_DeleteDir("/nowhere/at/all", status);
  printf("%s%s\n", line, TF_GetCode(status) == TF_NOT_FOUND ? "not found" : TF_Message(status));
  TF_DeleteTensor(tensor);
  TF_DeleteStatus(status);
  return 0;
}
