#include <unistd.h>
int main() {
  return access("top.txt", R_OK) || access("_solib_k8/libliblibrary.so", R_OK) || !access("cc_data_test.cc", F_OK);
}
