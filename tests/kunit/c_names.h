/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names that C's zswap defines for other files, with c_ before them: a kernel whose zswap is the one in
 * Rust can have it beside that. To be included before any other header.
 */
#define zswap_stored_pages		c_zswap_stored_pages
#define zswap_total_pages		c_zswap_total_pages
#define zswap_store			c_zswap_store
#define zswap_load			c_zswap_load
#define zswap_invalidate		c_zswap_invalidate
#define zswap_swapon			c_zswap_swapon
#define zswap_swapoff			c_zswap_swapoff
#define zswap_memcg_offline_cleanup	c_zswap_memcg_offline_cleanup
#define zswap_lruvec_state_init		c_zswap_lruvec_state_init
#define zswap_folio_swapin		c_zswap_folio_swapin
#define zswap_is_enabled		c_zswap_is_enabled
#define zswap_never_enabled		c_zswap_never_enabled
