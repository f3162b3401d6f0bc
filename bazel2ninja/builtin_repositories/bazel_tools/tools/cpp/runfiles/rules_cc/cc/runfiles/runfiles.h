// Where the files are that a program needs at run time.
//
// The protocol of Bazel's runfiles libraries: RUNFILES_DIR (in tests TEST_SRCDIR) names a directory tree,
// RUNFILES_MANIFEST_FILE a list of the files; beside a program they are PROGRAM.runfiles and PROGRAM.runfiles_manifest.
// _repo_mapping in them gives the names that a repository has for others.

#ifndef RULES_CC_CC_RUNFILES_RUNFILES_H_
#define RULES_CC_CC_RUNFILES_RUNFILES_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rules_cc {
namespace cc {
namespace runfiles {

class Runfiles {
 public:
  // For a test, from its environment.  Null when nothing is found, *error then says why; it may be null.
  static Runfiles* CreateForTest(std::string* error = nullptr);
  static Runfiles* CreateForTest(const std::string& source_repository, std::string* error = nullptr);

  // For a program whose argv[0] is given, from its environment or from what lies beside it.
  static Runfiles* Create(const std::string& argv0, std::string* error = nullptr);
  static Runfiles* Create(const std::string& argv0, const std::string& source_repository,
                          std::string* error = nullptr);
  static Runfiles* Create(const std::string& argv0, const std::string& manifest_file, const std::string& directory,
                          std::string* error = nullptr);
  static Runfiles* Create(const std::string& argv0, const std::string& manifest_file, const std::string& directory,
                          const std::string& source_repository, std::string* error = nullptr);

  // The path of the runfile `path`, which begins with the name of a repository.  Empty when the path is empty or not
  // normalised, or when a manifest does not list it; an absolute path is itself.  The file need not exist.
  std::string Rlocation(const std::string& path) const;
  // The same as seen from another repository than the one that the object was made for.
  std::string Rlocation(const std::string& path, const std::string& source_repository) const;

  // What a program that this one starts needs in its environment to find the same runfiles.
  const std::vector<std::pair<std::string, std::string>>& EnvVars() const { return environment_; }

  // A copy for another repository.
  std::unique_ptr<Runfiles> WithSourceRepository(const std::string& source_repository) const;

 private:
  Runfiles() = default;

  std::string Find(const std::string& path) const;
  void ReadMapping();

  std::string directory_;
  std::map<std::string, std::string> manifest_;
  std::map<std::pair<std::string, std::string>, std::string> mapping_;  // source, apparent name -> name in the tree
  std::vector<std::pair<std::string, std::string>> environment_;
  std::string source_repository_;
};

}  // namespace runfiles
}  // namespace cc
}  // namespace rules_cc

#endif  // RULES_CC_CC_RUNFILES_RUNFILES_H_
