#include <cstdio>
#include <cstdlib>
extern int count;
int main(int argc, char** argv) {
  std::printf("%d %s %s %s\n", count, argv[1], argv[2], std::getenv("WHERE"));
  return argc == 3 && count == 1 && std::fopen(argv[1], "r") ? 0 : 1;
}
