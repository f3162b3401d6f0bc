// What the framework alone offers C++: tensors, a pool of threads, operations and their shapes, a graph; prints lines.

#include <atomic>
#include <cstdio>
#include <string>

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/node_def_builder.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/graph/graph.h"
#include "tensorflow/core/lib/core/threadpool.h"
#include "tensorflow/core/platform/env.h"
#include "tensorflow/core/public/version.h"

// a graph begins and ends with it; the other libraries register it
REGISTER_OP("NoOp").SetShapeFn(tensorflow::shape_inference::NoOutputs);
REGISTER_OP("Twice").Input("x: float").Output("y: float").SetShapeFn(tensorflow::shape_inference::UnchangedShape);

int main() {
  using namespace tensorflow;

  Tensor tensor(DT_FLOAT, TensorShape({4, 1000}));
  auto values = tensor.flat<float>();
  for (int64_t i = 0; i < values.size(); ++i) values(i) = static_cast<float>(i % 7);

  std::atomic<int64_t> sum{0};
  {
    thread::ThreadPool pool(Env::Default(), "adders", 4);
    pool.ParallelFor(4, 1000000, [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row) {
        for (int64_t i = 0; i < 1000; ++i) sum += static_cast<int64_t>(tensor.matrix<float>()(row, i));
      }
    });
  }
  std::printf("%s %lld\n", tensor.DebugString(2).c_str(), static_cast<long long>(sum));

  TensorProto proto;
  tensor.AsProtoTensorContent(&proto);
  Tensor again;
  std::printf("%d ", again.FromProto(proto) && again.matrix<float>()(3, 999) == tensor.matrix<float>()(3, 999));

  const OpDef* definition = nullptr;
  std::printf("%s ", OpRegistry::Global()->LookUpOpDef("Twice", &definition).ok() ? definition->name().c_str() : "none");
  std::printf("%d\n", OpRegistry::Global()->LookUpOpDef("NoSuchOperation", &definition).code() == error::NOT_FOUND);

  Graph graph(OpRegistry::Global());
  Status status;
  NodeDef twice;
  status.Update(NodeDefBuilder("first", "Twice").Input("x", 0, DT_FLOAT).Finalize(&twice));
  Node* first = graph.AddNode(twice, &status);
  twice.set_name("second");
  Node* second = graph.AddNode(twice, &status);
  graph.AddEdge(first, 0, second, 0);
  std::printf("%s: %d nodes, %d edges, %s takes %s\n", status.ToString().c_str(), graph.num_op_nodes(), graph.num_edges(),
              second->name().c_str(), (*second->in_edges().begin())->src()->name().c_str());
  std::printf("%s\n", TF_VERSION_STRING);
}
