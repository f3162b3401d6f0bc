// Finds files of its own repository and of another with the library for C++, under either of its names.

#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#if __has_include("tools/cpp/runfiles/runfiles.h")
#include "tools/cpp/runfiles/runfiles.h"
using bazel::tools::cpp::runfiles::Runfiles;
#else
#include "rules_cc/cc/runfiles/runfiles.h"
using rules_cc::cc::runfiles::Runfiles;
#endif

std::string FirstWord(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

int main(int argc, char** argv) {
  std::string error;
  std::unique_ptr<Runfiles> runfiles(Runfiles::Create(argv[0], BAZEL_CURRENT_REPOSITORY, &error));
  if (!runfiles) {
    std::cerr << error << std::endl;
    return 1;
  }
  for (const char* bad : {"", "..", "../x", "a/../b", "a//b", "./a", "a/."}) {
    if (!runfiles->Rlocation(bad).empty()) return 2;
  }
  if (runfiles->Rlocation("/a/b") != "/a/b") return 3;
  std::unique_ptr<Runfiles> none(Runfiles::Create("no-such-program", "no-such-file", "no-such-directory", &error));
  if (none || error.find("no-such-program") == std::string::npos) return 4;
  std::cout << "'" << BAZEL_CURRENT_REPOSITORY << "' " << FirstWord(runfiles->Rlocation("other/greeting.txt")) << " "
            << FirstWord(runfiles->WithSourceRepository("other")->Rlocation("runfiles_example/top.txt"));
  for (const auto& variable : runfiles->EnvVars()) std::cout << " " << variable.first;
  std::cout << std::endl;
}
