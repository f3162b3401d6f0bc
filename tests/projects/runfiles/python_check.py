from bazel_tools.tools.python.runfiles import runfiles

with open(runfiles.Create().Rlocation("other/greeting.txt")) as file:
    print(file.read().strip())
