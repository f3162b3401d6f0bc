#ifndef SMALL_GREET_H_
#define SMALL_GREET_H_

int greet(const char* name);

#endif
