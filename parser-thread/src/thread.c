/*
 * What libpg_query 18.1.0 keeps for a thread: set up in the place of its own pg_query_init(), and given back.
 *
 * That function makes a pthread key for every thread that parses, for a destructor that frees the thread's memory, and never
 * deletes one: after some thousand threads nobody in the process can make a key any more. It takes a thread whose
 * `pg_query_initialized` is set as it is. So the same steps are done here first, without a key, and lib.rs has the memory
 * freed when the thread ends.
 */

#include <signal.h>
#include <stdlib.h>

#if defined(_MSC_VER)
#define THREAD_LOCAL __declspec(thread)
#else
#define THREAD_LOCAL __thread
#endif

/* From libpg_query: src/pg_query.c, utils/memutils.h, utils/palloc.h, mb/pg_wchar.h. The tests notice when they change. */
typedef struct MemoryContextData *MemoryContext;
extern THREAD_LOCAL sig_atomic_t pg_query_initialized;
extern THREAD_LOCAL MemoryContext TopMemoryContext;
extern THREAD_LOCAL MemoryContext CurrentMemoryContext;
extern THREAD_LOCAL MemoryContext ErrorContext;
extern void MemoryContextInit(void);
extern void MemoryContextReset(MemoryContext context);
extern void AllocSetDeleteFreeList(void);
extern void SetDatabaseEncoding(int encoding);
enum { PG_UTF8 = 6 };

/* Whether the thread was set up here: one that the library set up is freed by the library. */
static THREAD_LOCAL int ours;

void haltsql_parser_thread_prepare(void);
void haltsql_parser_thread_release(void);

void haltsql_parser_thread_prepare(void)
{
	if (pg_query_initialized)
		return;
	pg_query_initialized = 1;
	ours = 1;
	MemoryContextInit();
	SetDatabaseEncoding(PG_UTF8);
}

void haltsql_parser_thread_release(void)
{
	if (!ours)
		return;
	/*
	 * The library's pg_query_exit() leaves the context that it frees on a list of contexts to use again. Here nothing stays:
	 * whoever parses on this thread after this, in a later destructor, finds a thread that was never set up.
	 */
	MemoryContextReset(TopMemoryContext);
	AllocSetDeleteFreeList();
	free(TopMemoryContext);
	TopMemoryContext = NULL;
	CurrentMemoryContext = NULL;
	ErrorContext = NULL;
	ours = 0;
	pg_query_initialized = 0;
}
