#include <stdio.h>

#include "levels/levels.h"

int main(void) {
  const double values[] = {1, 2, 3};
  printf("%d %g\n", levels_level(), levels_sum(values, 3));
  return 0;
}
