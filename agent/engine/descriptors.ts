/** Descriptors by which the shim hands the output files of a restored copy to the engine; the same numbers as in `shim.c`. */
export const STDOUT_FD = 200;
export const STDERR_FD = 201;
