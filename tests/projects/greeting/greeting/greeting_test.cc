#include "greeting/greeting.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

int main() {
  std::ifstream file(std::string(std::getenv("TEST_SRCDIR")) + "/greeting/data/words.txt");
  std::string word;
  std::getline(file, word);
  const std::string got = greeting::Greet("test");
  if (word.empty() || got.compare(0, word.size(), word) != 0) {
    std::cerr << "unexpected greeting: " << got << std::endl;
    return 1;
  }
  return 0;
}
