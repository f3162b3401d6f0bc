#include <cctype>
#include <cstdio>

int main() {
  int c;
  while ((c = std::getchar()) != EOF) std::putchar(std::toupper(c));
  return 0;
}
