#include <stdio.h>
#include "x.h"
#define MAX 3
#define F(x) x
/* Holds. */
struct box { int size; };
typedef struct { int a; } Pair;
typedef int id_t2;
enum color { RED };
union u { int a; };
static int limit = 3;
int decl(int a);
/* Goes. */
static char *go(int a, char *b) { return 0; }
