#include "rules_cc/cc/runfiles/runfiles.h"

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace rules_cc {
namespace cc {
namespace runfiles {
namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool IsFile(const std::string& path) {
  struct stat found;
  return !path.empty() && stat(path.c_str(), &found) == 0 && !S_ISDIR(found.st_mode);
}

bool IsDirectory(const std::string& path) {
  struct stat found;
  return !path.empty() && stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

bool IsAbsolute(const std::string& path) { return !path.empty() && path[0] == '/'; }

bool IsNormalised(const std::string& path) {
  std::istringstream parts(path);
  std::string part;
  bool first = true;
  while (std::getline(parts, part, '/')) {
    if (part == "." || part == ".." || (part.empty() && !first)) return false;
    first = false;
  }
  return true;
}

// In a line that begins with a space, "\s" is a space, "\n" a line's end and "\b" a backslash.
std::string Unescaped(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (text[at] == '\\' && (next == 's' || next == 'n' || next == 'b')) {
      result += next == 's' ? ' ' : next == 'n' ? '\n' : '\\';
      ++at;
    } else {
      result += text[at];
    }
  }
  return result;
}

bool ReadManifest(const std::string& path, std::map<std::string, std::string>* entries) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const bool escaped = !line.empty() && line[0] == ' ';
    if (escaped) line.erase(0, 1);
    const std::size_t space = line.find(' ');
    std::string name = line.substr(0, space);
    std::string target = space == std::string::npos ? "" : line.substr(space + 1);
    if (escaped) {
      name = Unescaped(name);
      target = Unescaped(target);
    }
    if (!name.empty()) (*entries)[name] = target;
  }
  return file.eof();
}

void Report(std::string* error, const std::string& text) {
  if (error) *error = "ERROR: " + text;
}

}  // namespace

Runfiles* Runfiles::CreateForTest(std::string* error) { return CreateForTest("", error); }

Runfiles* Runfiles::CreateForTest(const std::string& source_repository, std::string* error) {
  return Create("", Environment("RUNFILES_MANIFEST_FILE"), Environment("TEST_SRCDIR"), source_repository, error);
}

Runfiles* Runfiles::Create(const std::string& argv0, std::string* error) { return Create(argv0, "", error); }

Runfiles* Runfiles::Create(const std::string& argv0, const std::string& source_repository, std::string* error) {
  return Create(argv0, Environment("RUNFILES_MANIFEST_FILE"), Environment("RUNFILES_DIR"), source_repository, error);
}

Runfiles* Runfiles::Create(const std::string& argv0, const std::string& manifest_file, const std::string& directory,
                           std::string* error) {
  return Create(argv0, manifest_file, directory, "", error);
}

Runfiles* Runfiles::Create(const std::string& argv0, const std::string& manifest_file, const std::string& directory,
                           const std::string& source_repository, std::string* error) {
  std::string manifest = IsFile(manifest_file) ? manifest_file : "";
  std::string tree = IsDirectory(directory) ? directory : "";
  if (manifest.empty() && tree.empty() && !argv0.empty()) {
    for (const char* ending : {".runfiles_manifest", ".runfiles/MANIFEST"}) {
      if (manifest.empty() && IsFile(argv0 + ending)) manifest = argv0 + ending;
    }
    if (IsDirectory(argv0 + ".runfiles")) tree = argv0 + ".runfiles";
  }
  if (manifest.empty() && tree.empty()) {
    Report(error, "cannot find runfiles (argv0=\"" + argv0 + "\")");
    return nullptr;
  }
  std::unique_ptr<Runfiles> made(new Runfiles());
  made->directory_ = tree;
  made->source_repository_ = source_repository;
  if (!manifest.empty() && !ReadManifest(manifest, &made->manifest_)) {
    Report(error, "cannot read runfiles manifest \"" + manifest + "\"");
    return nullptr;
  }
  made->environment_ = {{"RUNFILES_MANIFEST_FILE", manifest}, {"RUNFILES_DIR", tree}, {"JAVA_RUNFILES", tree}};
  made->ReadMapping();
  return made.release();
}

// Lines "SOURCE,APPARENT NAME,NAME IN THE TREE"; no file is an empty one.
void Runfiles::ReadMapping() {
  std::ifstream file(Find("_repo_mapping"));
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t first = line.find(',');
    const std::size_t second = first == std::string::npos ? first : line.find(',', first + 1);
    if (second == std::string::npos) continue;
    mapping_[{line.substr(0, first), line.substr(first + 1, second - first - 1)}] = line.substr(second + 1);
  }
}

std::string Runfiles::Find(const std::string& path) const {
  const auto exact = manifest_.find(path);
  if (exact != manifest_.end()) return exact->second;
  // a directory is listed as one entry, and what is in it is not
  for (std::size_t end = path.rfind('/'); end != std::string::npos && end > 0; end = path.rfind('/', end - 1)) {
    const auto above = manifest_.find(path.substr(0, end));
    if (above != manifest_.end()) return above->second + path.substr(end);
  }
  return directory_.empty() ? "" : directory_ + "/" + path;
}

std::string Runfiles::Rlocation(const std::string& path) const { return Rlocation(path, source_repository_); }

std::string Runfiles::Rlocation(const std::string& path, const std::string& source_repository) const {
  if (path.empty() || !IsNormalised(path)) return "";
  if (IsAbsolute(path)) return path;
  const std::size_t slash = path.find('/');
  const auto mapped = mapping_.find({source_repository, path.substr(0, slash)});
  if (mapped == mapping_.end()) return Find(path);
  return Find(mapped->second + (slash == std::string::npos ? "" : path.substr(slash)));
}

std::unique_ptr<Runfiles> Runfiles::WithSourceRepository(const std::string& source_repository) const {
  std::unique_ptr<Runfiles> copy(new Runfiles(*this));
  copy->source_repository_ = source_repository;
  return copy;
}

}  // namespace runfiles
}  // namespace cc
}  // namespace rules_cc
