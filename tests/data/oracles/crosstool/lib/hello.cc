#include "lib/hello.h"
int hello() { return 1; }
