#include "common.h"
const char* machine() {
#ifdef __aarch64__
  return "aarch64";
#else
  return "x86_64";
#endif
}
