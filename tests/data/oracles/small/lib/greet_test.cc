#include "small/greet.h"

int main(int argc, char**) { return argc == 2 && greet("test") > 0 ? 0 : 1; }
