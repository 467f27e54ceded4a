// SPDX-License-Identifier: GPL-2.0

#include <linux/vmstat.h>

__rust_helper void rust_helper_count_vm_events(enum vm_event_item item,
					       long delta)
{
	count_vm_events(item, delta);
}
