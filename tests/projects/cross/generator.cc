#include <stdio.h>

#include "common.h"

int main() { printf("#define GENERATED_ON \"%s\"\n", machine()); }
