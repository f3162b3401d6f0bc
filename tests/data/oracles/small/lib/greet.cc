#include "small/greet.h"

#include <cstdio>

#include "lib/greeting.h"
#include "lib/greet.inc"

#ifndef GREET_INTERNAL
#error local_defines are missing
#endif

int greet(const char* name) { return std::printf("%s from %s%s" GREET_END, GREETING, name, LOUD ? "!" : ""); }
