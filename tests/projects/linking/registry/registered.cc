extern int count;
static int here = ++count;
