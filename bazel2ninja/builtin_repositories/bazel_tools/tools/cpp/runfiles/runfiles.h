// The runfiles library of rules_cc under the name that it has in @bazel_tools.

#ifndef TOOLS_CPP_RUNFILES_RUNFILES_H_
#define TOOLS_CPP_RUNFILES_RUNFILES_H_

#include "rules_cc/cc/runfiles/runfiles.h"

namespace bazel {
namespace tools {
namespace cpp {
namespace runfiles {

using ::rules_cc::cc::runfiles::Runfiles;

}  // namespace runfiles
}  // namespace cpp
}  // namespace tools
}  // namespace bazel

#endif  // TOOLS_CPP_RUNFILES_RUNFILES_H_
