#ifndef LEVELS_LEVELS_H_
#define LEVELS_LEVELS_H_
#ifdef __cplusplus
extern "C" {
#endif
int levels_level(void);
double levels_sum(const double *values, long count);
#ifdef __cplusplus
}
#endif
#endif
