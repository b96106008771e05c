#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int bad = 0;
#define IS(expr, want) do { long a_ = (long)(expr), b_ = (long)(want); if (a_ != b_) { printf("line %d: %s is %ld, not %ld\n", __LINE__, #expr, a_, b_); ++bad; } } while (0)
#define OK(expr) IS(expr, CL_SUCCESS)
static const char* src =
"typedef struct { int a; float b; } S;\n"
"__constant int table[4] = {1, 2, 3, 4};\n"
"__kernel void twice(__global int* x, __local int* l, int n, S s, __constant int* c) {\n"
"  int i = get_global_id(0);\n"
"  l[get_local_id(0)] = x[i];\n"
"  barrier(CLK_LOCAL_MEM_FENCE);\n"
"  x[i] = 2 * l[get_local_size(0) - 1 - get_local_id(0)] + n + s.a + (int)s.b + c[i % 4] + table[i % 4];\n"
"}\n"
"__kernel void where(__global int* x) {\n"
"  int i = get_global_id(0) + get_global_size(0) * get_global_id(1);\n"
"  int j = (get_global_id(0) - get_global_offset(0)) + get_global_size(0) * (get_global_id(1) - get_global_offset(1));\n"
"  x[j] = i * 100 + get_work_dim() * 10 + get_global_offset(0);\n"
"}\n"
"__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void fixed(__global float* x) { x[get_global_id(0)] = sqrt((float)get_local_size(0)) * VALUE; }\n"
"__kernel void say(__global int* x) { if (get_global_id(0) == 1) printf(\"item %d of %s %.2f\\n\", x[1], \"kernel\", 1.5f); }\n"
"__kernel void wild(__global int* x) { x[get_global_id(0) + (1 << 30)] = 1; }\n";
typedef struct { int a; float b; } S;
static volatile int called = 0;
static void CL_CALLBACK note(cl_event e, cl_int status, void* data) { (void)e; called += status == CL_COMPLETE ? *(int*)data : 100; }
int main(void) {
  cl_platform_id p; OK(clGetPlatformIDs(1, &p, NULL));
  cl_device_id d; OK(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &d, NULL));
  IS(clGetDeviceIDs(p, CL_DEVICE_TYPE_CPU, 1, &d, NULL), CL_DEVICE_NOT_FOUND);
  char name[200]; OK(clGetDeviceInfo(d, CL_DEVICE_NAME, sizeof name, name, NULL)); printf("%s\n", name);
  cl_int e; cl_context c = clCreateContext(NULL, 1, &d, NULL, NULL, &e); OK(e);
  cl_queue_properties props[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  cl_command_queue q = clCreateCommandQueueWithProperties(c, d, NULL, &e); OK(e);
  cl_command_queue oo = clCreateCommandQueueWithProperties(c, d, props, &e); OK(e);
  cl_program pr = clCreateProgramWithSource(c, 1, &src, NULL, &e); OK(e);
  IS(clBuildProgram(pr, 1, &d, "-bogus", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
  IS(clBuildProgram(pr, 1, &d, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
  char log[4000]; OK(clGetProgramBuildInfo(pr, d, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL)); IS(strstr(log, "VALUE") != NULL, 1);
  OK(clBuildProgram(pr, 1, &d, "-D VALUE=3.0f -cl-fast-relaxed-math -cl-std=CL1.2", NULL, NULL));
  size_t kernels; OK(clGetProgramInfo(pr, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL)); IS(kernels, 5);
  cl_kernel k = clCreateKernel(pr, "nothing", &e); IS(e, CL_INVALID_KERNEL_NAME); IS(k, 0);
  k = clCreateKernel(pr, "twice", &e); OK(e);
  enum { N = 256 };
  int host[N], back[N]; for (int i = 0; i < N; ++i) host[i] = i;
  cl_mem x = clCreateBuffer(c, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof host, host, &e); OK(e);
  int four[4] = {10, 20, 30, 40};
  cl_mem con = clCreateBuffer(c, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof four, four, &e); OK(e);
  cl_mem none = clCreateBuffer(c, CL_MEM_READ_WRITE, 0, NULL, &e); IS(e, CL_INVALID_BUFFER_SIZE); IS(none, 0);
  int n = 5; S s = {7, 9.0f}; size_t g = N, l = 64;
  IS(clEnqueueNDRangeKernel(q, k, 1, NULL, &g, &l, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
  OK(clSetKernelArg(k, 0, sizeof x, &x));
  IS(clSetKernelArg(k, 0, 4, &x), CL_INVALID_ARG_SIZE);
  IS(clSetKernelArg(k, 9, 4, &n), CL_INVALID_ARG_INDEX);
  IS(clSetKernelArg(k, 1, 256, &n), CL_INVALID_ARG_VALUE);
  IS(clSetKernelArg(k, 1, 0, NULL), CL_INVALID_ARG_SIZE);
  IS(clSetKernelArg(k, 2, 8, &n), CL_INVALID_ARG_SIZE);
  IS(clSetKernelArg(k, 0, sizeof(cl_mem), &k), CL_INVALID_MEM_OBJECT);
  OK(clSetKernelArg(k, 1, 64 * 4, NULL)); OK(clSetKernelArg(k, 2, 4, &n)); OK(clSetKernelArg(k, 3, sizeof s, &s)); OK(clSetKernelArg(k, 4, sizeof con, &con));
  size_t odd = 100; IS(clEnqueueNDRangeKernel(q, k, 1, NULL, &g, &odd, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
  IS(clEnqueueNDRangeKernel(q, k, 4, NULL, &g, &l, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
  size_t big = 4096; size_t gbig = 8192; IS(clEnqueueNDRangeKernel(q, k, 1, NULL, &gbig, &big, 0, NULL, NULL), CL_INVALID_WORK_ITEM_SIZE);
  cl_event ev; OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &g, &l, 0, NULL, &ev));
  IS(clGetEventProfilingInfo(ev, CL_PROFILING_COMMAND_START, 8, log, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
  OK(clEnqueueReadBuffer(q, x, CL_TRUE, 0, sizeof back, back, 1, &ev, NULL));
  for (int i = 0; i < N; ++i) IS(back[i], 2 * (i / 64 * 64 + 63 - i % 64) + 5 + 7 + 9 + four[i % 4] + 1 + i % 4);
  OK(clReleaseEvent(ev)); IS(clReleaseEvent(ev), CL_INVALID_EVENT); IS(clWaitForEvents(1, &ev), CL_INVALID_EVENT);
  // offsets and two dimensions, no local size
  cl_kernel w = clCreateKernel(pr, "where", &e); OK(e); OK(clSetKernelArg(w, 0, sizeof x, &x));
  size_t g2[2] = {16, 16}, o2[2] = {3, 5}; OK(clEnqueueNDRangeKernel(q, w, 2, o2, g2, NULL, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, x, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
  for (int i = 0; i < N; ++i) IS(back[i], ((i % 16 + 3) + 16 * (i / 16 + 5)) * 100 + 20 + 3);
  OK(clEnqueueNDRangeKernel(q, w, 2, NULL, g2, NULL, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(q, x, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
  for (int i = 0; i < N; ++i) IS(back[i], i * 100 + 20);
  // a required group
  cl_kernel f = clCreateKernel(pr, "fixed", &e); OK(e); OK(clSetKernelArg(f, 0, sizeof x, &x));
  IS(clEnqueueNDRangeKernel(q, f, 1, NULL, &g, &l, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
  OK(clEnqueueNDRangeKernel(q, f, 1, NULL, &g, NULL, 0, NULL, NULL));
  float fl[N]; OK(clEnqueueReadBuffer(q, x, CL_TRUE, 0, sizeof fl, fl, 0, NULL, NULL)); IS(fl[0] > 8.48f && fl[0] < 8.49f, 1);
  size_t group[3]; OK(clGetKernelWorkGroupInfo(f, d, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group, group, NULL)); IS(group[0], 8);
  // fill, parts, rectangles, maps
  int pattern[2] = {1, 2}; OK(clEnqueueFillBuffer(q, x, pattern, 8, 0, sizeof host, 0, NULL, NULL));
  cl_buffer_region region = {512, 256}; cl_mem part = clCreateSubBuffer(x, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &e); OK(e);
  cl_buffer_region wrong = {4, 256}; clCreateSubBuffer(x, 0, CL_BUFFER_CREATE_TYPE_REGION, &wrong, &e); IS(e, CL_MISALIGNED_SUB_BUFFER_OFFSET);
  int nine = 9; OK(clEnqueueFillBuffer(q, part, &nine, 4, 0, 16, 0, NULL, NULL));
  int* m = clEnqueueMapBuffer(q, x, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, sizeof host, 0, NULL, NULL, &e); OK(e);
  IS(m[0], 1); IS(m[1], 2); IS(m[128], 9); IS(m[132], 1); m[7] = 77;
  OK(clEnqueueUnmapMemObject(q, x, m, 0, NULL, NULL)); IS(clEnqueueUnmapMemObject(q, x, m, 0, NULL, NULL), CL_INVALID_VALUE);
  size_t at[3] = {16, 0, 0}, zero[3] = {0, 0, 0}, box[3] = {16, 4, 1}; int small[16];
  OK(clEnqueueReadBufferRect(q, x, CL_TRUE, at, zero, box, 64, 0, 16, 0, small, 0, NULL, NULL)); IS(small[3], 77); IS(small[4], 1);
  IS(clEnqueueCopyBuffer(q, x, x, 0, 4, 64, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
  IS(clEnqueueReadBuffer(q, x, CL_TRUE, 1000, 100, back, 0, NULL, NULL), CL_INVALID_VALUE);
  OK(clReleaseMemObject(x)); OK(clReleaseMemObject(part)); IS(clReleaseMemObject(part), CL_INVALID_MEM_OBJECT);
  // user events, callbacks, out of order
  cl_mem y = clCreateBuffer(c, CL_MEM_READ_WRITE, sizeof host, NULL, &e); OK(e);
  cl_event user = clCreateUserEvent(c, &e); OK(e); cl_event after, other, both[2];
  OK(clSetKernelArg(w, 0, sizeof y, &y));
  OK(clEnqueueWriteBuffer(oo, y, CL_FALSE, 0, sizeof host, host, 1, &user, &after));
  int one = 1; OK(clSetEventCallback(after, CL_COMPLETE, note, &one));
  OK(clEnqueueFillBuffer(oo, con, &nine, 4, 0, 16, 0, NULL, &other)); OK(clWaitForEvents(1, &other));
  cl_int st; OK(clGetEventInfo(after, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof st, &st, NULL)); IS(st, CL_SUBMITTED);
  OK(clSetUserEventStatus(user, CL_COMPLETE)); IS(clSetUserEventStatus(user, CL_COMPLETE), CL_INVALID_OPERATION);
  OK(clEnqueueNDRangeKernel(oo, w, 2, NULL, g2, NULL, 1, &after, &ev)); both[0] = ev; both[1] = other; OK(clWaitForEvents(2, both));
  cl_ulong times[4]; for (int i = 0; i < 4; ++i) OK(clGetEventProfilingInfo(ev, CL_PROFILING_COMMAND_QUEUED + i, 8, &times[i], NULL));
  IS(times[0] <= times[1] && times[1] <= times[2] && times[2] < times[3], 1); printf("kernel %lu ns\n", (unsigned long)(times[3] - times[2]));
  OK(clFinish(oo)); for (int i = 0; i < 1000000000 && !called; ++i) ; IS(called, 1);
  cl_event fails = clCreateUserEvent(c, &e); OK(clEnqueueWriteBuffer(oo, y, CL_FALSE, 0, 4, host, 1, &fails, &after)); OK(clSetUserEventStatus(fails, -7));
  IS(clWaitForEvents(1, &after), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  // images are not there
  cl_bool images; OK(clGetDeviceInfo(d, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL)); IS(images, CL_FALSE);
  cl_image_format format = {CL_RGBA, CL_FLOAT}; cl_image_desc form; memset(&form, 0, sizeof form); form.image_type = CL_MEM_OBJECT_IMAGE2D; form.image_width = form.image_height = 4;
  clCreateImage(c, CL_MEM_READ_ONLY, &format, &form, NULL, &e); IS(e, CL_INVALID_OPERATION);
  // binaries
  size_t size; OK(clGetProgramInfo(pr, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
  unsigned char* bytes = malloc(size); OK(clGetProgramInfo(pr, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
  cl_program again = clCreateProgramWithBinary(c, 1, &d, &size, (const unsigned char**)&bytes, &st, &e); OK(e); OK(st); OK(clBuildProgram(again, 0, NULL, NULL, NULL, NULL));
  cl_kernel say = clCreateKernel(again, "say", &e); OK(e); OK(clSetKernelArg(say, 0, sizeof y, &y)); size_t two = 2;
  OK(clEnqueueNDRangeKernel(q, say, 1, NULL, &two, NULL, 0, NULL, NULL)); OK(clFinish(q));
  cl_program junk = clCreateProgramWithBinary(c, 1, &d, &(size_t){4}, (const unsigned char*[]){(const unsigned char*)"junk"}, &st, &e); IS(e, CL_INVALID_BINARY); (void)junk;
  // separate compilation
  const char* h = "int twice_of(int x);\n", *a = "#include \"h.h\"\n__kernel void outer(__global int* x) { x[get_global_id(0)] = twice_of(get_global_id(0)); }\n", *b = "int twice_of(int x) { return 2 * x; }\n";
  cl_program ph = clCreateProgramWithSource(c, 1, &h, NULL, &e), pa = clCreateProgramWithSource(c, 1, &a, NULL, &e), pb = clCreateProgramWithSource(c, 1, &b, NULL, &e);
  const char* hn = "h.h"; OK(clCompileProgram(pa, 0, NULL, NULL, 1, &ph, &hn, NULL, NULL)); OK(clCompileProgram(pb, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
  cl_program parts[] = {pa, pb}; cl_program linked = clLinkProgram(c, 0, NULL, NULL, 2, parts, NULL, NULL, &e); OK(e);
  cl_kernel outer = clCreateKernel(linked, "outer", &e); OK(e);
  if (outer) { OK(clSetKernelArg(outer, 0, sizeof y, &y)); OK(clEnqueueNDRangeKernel(q, outer, 1, NULL, &g, NULL, 0, NULL, NULL)); OK(clEnqueueReadBuffer(q, y, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL)); IS(back[100], 200); }
  // shared virtual memory
  int* svm = clSVMAlloc(c, CL_MEM_READ_WRITE, sizeof host, 0); IS(svm != NULL, 1); OK(clSetKernelArgSVMPointer(w, 0, svm));
  OK(clEnqueueNDRangeKernel(q, w, 2, NULL, g2, NULL, 0, NULL, NULL)); OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, svm, sizeof host, 0, NULL, NULL)); IS(svm[9], 920); OK(clEnqueueSVMUnmap(q, svm, 0, NULL, NULL)); OK(clFinish(q)); clSVMFree(c, svm);
  // a fault
  if (getenv("FAULT")) { cl_kernel wild = clCreateKernel(pr, "wild", &e); OK(clSetKernelArg(wild, 0, sizeof y, &y)); OK(clEnqueueNDRangeKernel(q, wild, 1, NULL, &g, NULL, 0, NULL, NULL)); IS(clFinish(q), CL_OUT_OF_RESOURCES); IS(clEnqueueReadBuffer(q, y, CL_TRUE, 0, 4, back, 0, NULL, NULL), CL_OUT_OF_RESOURCES); }
  printf("%d wrong\n", bad);
  return bad != 0;
}
