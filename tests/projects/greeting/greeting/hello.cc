#include <iostream>

#include "greeting/greeting.h"

int main(int argc, char** argv) {
  std::cout << greeting::Greet(argc > 1 ? argv[1] : "world") << std::endl;
  return 0;
}
