// A line fitted to points by gradient descent in a client session: gradients, variables, placeholders and broadcasting, by
// way of the generated C++ operations.  Prints slope and offset.

#include <cstdio>
#include <vector>

#include "tensorflow/cc/client/client_session.h"
#include "tensorflow/cc/framework/gradients.h"
#include "tensorflow/cc/ops/standard_ops.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/public/version.h"

using namespace tensorflow;
using namespace tensorflow::ops;

int main() {
  Scope scope = Scope::NewRootScope();
  auto x = Placeholder(scope, DT_FLOAT);
  auto y = Placeholder(scope, DT_FLOAT);
  auto slope = Variable(scope, {1, 1}, DT_FLOAT);
  auto offset = Variable(scope, {1}, DT_FLOAT);
  auto start_slope = Assign(scope, slope, Const(scope, {{0.f}}));
  auto start_offset = Assign(scope, offset, Const(scope, {0.f}));
  auto line = Add(scope, MatMul(scope, x, slope), offset);
  auto loss = ReduceMean(scope, Square(scope, Sub(scope, line, y)), {0, 1});
  std::vector<Output> gradients;
  TF_CHECK_OK(AddSymbolicGradients(scope, {loss}, {slope, offset}, &gradients));
  auto step_slope = ApplyGradientDescent(scope, slope, 0.1f, gradients[0]);
  auto step_offset = ApplyGradientDescent(scope, offset, 0.1f, gradients[1]);

  Tensor xs(DT_FLOAT, {8, 1}), ys(DT_FLOAT, {8, 1});
  for (int i = 0; i < 8; ++i) {
    xs.flat<float>()(i) = 0.25f * i;
    ys.flat<float>()(i) = 3 * 0.25f * i - 1;
  }
  ClientSession session(scope);
  std::vector<Tensor> outputs;
  TF_CHECK_OK(session.Run({start_slope, start_offset}, &outputs));
  for (int i = 0; i < 1000; ++i) {
    TF_CHECK_OK(session.Run({{x, xs}, {y, ys}}, {step_slope, step_offset}, &outputs));
  }
  std::printf("%s: %.3f %.3f\n", TF_VERSION_STRING, outputs[0].flat<float>()(0), outputs[1].flat<float>()(0));
}
