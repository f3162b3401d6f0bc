#include "small/greet.h"

extern "C" int extra(void);

int main() { return greet("hello") > extra() ? 0 : 1; }
