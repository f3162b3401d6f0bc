#define PREFIXED 3
