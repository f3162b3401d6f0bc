#include <cstdio>

#include "m.h"
#include "outer/deep/p.h"
#ifdef PRIVATE
#error "a local define is seen outside"
#endif
void flags();
int main() {
  flags();
  std::printf("%s %d\n", __FILE__, PREFIXED + MADE);
}
