/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the pretend kernel share: descriptors, and what its IOMMU answers. */
#ifndef MODERATO_TESTS_LIB_FAKE_VFIO_PRIVATE_H
#define MODERATO_TESTS_LIB_FAKE_VFIO_PRIVATE_H

#include "tests/lib/fake_vfio.h"

/** fake_new_fd() - a descriptor of @kind, or -EMFILE. */
int fake_new_fd(struct fake_vfio *f, enum fake_kind kind);
/** fake_kind_of() - what an open descriptor is; FAKE_CLOSED: not one of ours. */
enum fake_kind fake_kind_of(const struct fake_vfio *f, int fd);
/* Requests on a container, a group, an iommufd: 0 or more, or a negative errno. */
int fake_container_ioctl(struct fake_vfio *f, unsigned long request, void *arg);
int fake_group_ioctl(struct fake_vfio *f, unsigned long request, void *arg);
int fake_iommufd_ioctl(struct fake_vfio *f, unsigned long request, void *arg);

#endif
