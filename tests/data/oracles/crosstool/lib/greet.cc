#include "lib/hello.h"
int main() { return hello() - 1; }
