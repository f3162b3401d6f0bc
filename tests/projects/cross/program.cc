#include <stdio.h>

#include "common.h"
#include "table.h"

int main(int, char** words) { printf("%s for %s by %s\n", machine(), words[1], GENERATED_ON); }
