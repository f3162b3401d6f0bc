#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

#include "levels/levels.h"

static PyObject *level(PyObject *self, PyObject *unused) {
  (void)self, (void)unused;
  return PyLong_FromLong(levels_level());
}

static PyObject *sum(PyObject *self, PyObject *argument) {
  (void)self;
  PyObject *array = PyArray_FROM_OTF(argument, NPY_DOUBLE, NPY_ARRAY_IN_ARRAY);
  if (array == NULL) return NULL;
  PyArrayObject *values = (PyArrayObject *)array;
  double found = levels_sum((const double *)PyArray_DATA(values), (long)PyArray_SIZE(values));
  Py_DECREF(array);
  return PyFloat_FromDouble(found);
}

static PyMethodDef methods[] = {{"level", level, METH_NOARGS, NULL}, {"sum", sum, METH_O, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_levels", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__levels(void) {
  import_array();
  return PyModule_Create(&module);
}
