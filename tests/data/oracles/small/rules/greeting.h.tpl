#define GREETING "%{greeting}"
