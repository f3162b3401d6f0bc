/* Two matrices multiplied in a session, by way of the C interface: prints the version and the four elements. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/c_api.h"

static TF_Status* status;

static void check(const char* what) {
  if (TF_GetCode(status) != TF_OK) {
    fprintf(stderr, "%s: %s\n", what, TF_Message(status));
    exit(1);
  }
}

static TF_Output matrix(TF_Graph* graph, const char* name, const float values[4]) {
  const int64_t shape[] = {2, 2};
  TF_Tensor* tensor = TF_AllocateTensor(TF_FLOAT, shape, 2, 4 * sizeof(float));
  memcpy(TF_TensorData(tensor), values, 4 * sizeof(float));
  TF_OperationDescription* description = TF_NewOperation(graph, "Const", name);
  TF_SetAttrTensor(description, "value", tensor, status);
  check("value");
  TF_SetAttrType(description, "dtype", TF_FLOAT);
  TF_Output output = {TF_FinishOperation(description, status), 0};
  check(name);
  TF_DeleteTensor(tensor);
  return output;
}

int main(void) {
  const float left[] = {1, 2, 3, 4}, right[] = {5, 6, 7, 8};
  status = TF_NewStatus();
  TF_Graph* graph = TF_NewGraph();
  TF_Output a = matrix(graph, "left", left);
  TF_Output b = matrix(graph, "right", right);

  TF_OperationDescription* description = TF_NewOperation(graph, "MatMul", "product");
  TF_AddInput(description, a);
  TF_AddInput(description, b);
  TF_Output product = {TF_FinishOperation(description, status), 0};
  check("product");

  TF_SessionOptions* options = TF_NewSessionOptions();
  TF_Session* session = TF_NewSession(graph, options, status);
  check("session");
  TF_Tensor* result = NULL;
  TF_SessionRun(session, NULL, NULL, NULL, 0, &product, &result, 1, NULL, 0, NULL, status);
  check("run");
  const float* values = TF_TensorData(result);
  printf("%s: %g %g %g %g\n", TF_Version(), values[0], values[1], values[2], values[3]);

  TF_DeleteTensor(result);
  TF_CloseSession(session, status);
  TF_DeleteSession(session, status);
  TF_DeleteSessionOptions(options);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return 0;
}
