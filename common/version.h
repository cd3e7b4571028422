/* SPDX-License-Identifier: BSD-2-Clause */
/* The version that both programs print and that results are stamped with. */
#ifndef MODERATO_COMMON_VERSION_H
#define MODERATO_COMMON_VERSION_H

#define MODERATO_VERSION "0.1.0"

#endif
