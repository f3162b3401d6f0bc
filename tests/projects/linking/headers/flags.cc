#include <cstdio>
#ifndef PRIVATE
#error "a local define is missing"
#endif
void flags() { std::printf("%s %s %s\n", TEXT, COPT, MODE); }
