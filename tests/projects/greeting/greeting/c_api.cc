#include "greeting/greeting.h"

extern "C" int greeting_length(const char* name) { return static_cast<int>(greeting::Greet(name).size()); }
