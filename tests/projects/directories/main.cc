#include <cstdio>

#include "headers.dir/h.h"

int one();
int two();
extern "C" int three();
int four();
int five();

int main() {
  printf("%d %d %d %d %d\n", one(), two(), three(), four(), five());
  return one() == H ? 0 : 1;
}
