// A graph through the optimiser, with the passes that are MLIR's and without: they put nodes in topological order.

#include <cstdio>

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/grappler/grappler_item.h"
#include "tensorflow/core/grappler/optimizers/meta_optimizer.h"
#include "tensorflow/core/protobuf/config.pb.h"

REGISTER_OP("NoOp").SetShapeFn(tensorflow::shape_inference::NoOutputs);
REGISTER_OP("Source").Output("y: float").SetShapeFn(tensorflow::shape_inference::ScalarShape);
REGISTER_OP("Twice").Input("x: float").Output("y: float").SetShapeFn(tensorflow::shape_inference::UnchangedShape);

static void optimise(bool with_mlir) {
  using namespace tensorflow;
  grappler::GrapplerItem item;
  const char* const nodes[][3] = {{"third", "Twice", "second"}, {"second", "Twice", "first"}, {"first", "Source", ""}};
  for (const auto& words : nodes) {
    NodeDef* node = item.graph.add_node();
    node->set_name(words[0]);
    node->set_op(words[1]);
    if (*words[2]) node->add_input(words[2]);
  }
  item.fetch.push_back("third");

  ConfigProto config;
  RewriterConfig* rewriter = config.mutable_graph_options()->mutable_rewrite_options();
  rewriter->set_min_graph_nodes(-1);
  rewriter->set_disable_model_pruning(true);
  rewriter->set_disable_tfg_optimizer(!with_mlir);
  rewriter->set_meta_optimizer_iterations(RewriterConfig::ONE);
  rewriter->set_implementation_selector(RewriterConfig::OFF);
  rewriter->set_function_optimization(RewriterConfig::OFF);
  rewriter->set_common_subgraph_elimination(RewriterConfig::OFF);
  rewriter->set_constant_folding(RewriterConfig::OFF);
  rewriter->set_shape_optimization(RewriterConfig::OFF);
  rewriter->set_arithmetic_optimization(RewriterConfig::OFF);
  rewriter->set_layout_optimizer(RewriterConfig::OFF);
  rewriter->set_remapping(RewriterConfig::OFF);
  rewriter->set_loop_optimization(RewriterConfig::OFF);
  rewriter->set_dependency_optimization(RewriterConfig::OFF);
  rewriter->set_memory_optimization(RewriterConfig::NO_MEM_OPT);

  GraphDef result;
  const Status status = grappler::RunMetaOptimizer(std::move(item), config, nullptr, nullptr, &result);
  std::printf("%s", status.ToString().c_str());
  for (const NodeDef& node : result.node()) std::printf(" %s", node.name().c_str());
  std::printf("\n");
}

int main() {
  optimise(false);
  optimise(true);
}
