// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

/**
 * Sizes and offsets, in bytes, of libfabric's structs under a 64-bit ABI (LP64). Later versions append fields and move
 * none: these hold from 1.17 to 2.6. A test compares every one with the installed headers; {@link FabricSelfCheck}
 * probes the library at start-up.
 */
public final class FiLayout {
    /** What is allocated for any struct that libfabric reads or fills: room for fields that later versions append. */
    static final long ROOM = 256;

    static final long INFO_NEXT = 0;
    static final long INFO_CAPS = 8;
    static final long INFO_MODE = 16;
    static final long INFO_ADDR_FORMAT = 24;
    static final long INFO_SRC_ADDRLEN = 32;
    static final long INFO_DEST_ADDRLEN = 40;
    static final long INFO_SRC_ADDR = 48;
    static final long INFO_DEST_ADDR = 56;
    static final long INFO_HANDLE = 64;
    static final long INFO_TX_ATTR = 72;
    static final long INFO_RX_ATTR = 80;
    static final long INFO_EP_ATTR = 88;
    static final long INFO_DOMAIN_ATTR = 96;
    static final long INFO_FABRIC_ATTR = 104;
    static final long INFO_NIC = 112;

    static final long TX_SIZE = 48;
    static final long TX_IOV_LIMIT = 56;

    static final long RX_SIZE = 48;

    static final long EP_TYPE = 0;
    static final long EP_MAX_MSG_SIZE = 16;
    static final long EP_RX_CTX_CNT = 72;

    static final long DOMAIN_NAME = 8;
    static final long DOMAIN_THREADING = 16;
    static final long DOMAIN_MR_MODE = 36;

    static final long FABRIC_NAME = 8;
    static final long FABRIC_PROV_NAME = 16;
    static final long FABRIC_PROV_VERSION = 24;
    static final long FABRIC_API_VERSION = 28;

    // Objects: struct fid first, then pointers to tables of functions.
    static final long FID_OPS = 16;
    static final long FABRIC_OPS = 24;
    static final long DOMAIN_OPS = 24;
    static final long DOMAIN_MR = 32;
    static final long EQ_OPS = 24;
    static final long CQ_OPS = 24;
    static final long EP_CM = 32;
    static final long EP_MSG = 40;
    static final long EP_RMA = 48;
    static final long PEP_CM = 32;
    static final long MR_MEM_DESC = 24;
    static final long MR_KEY = 32;

    static final long OPS_CLOSE = 8;
    static final long OPS_BIND = 16;
    static final long OPS_CONTROL = 24;
    static final long OPS_FABRIC_DOMAIN = 8;
    static final long OPS_FABRIC_PASSIVE_EP = 16;
    static final long OPS_FABRIC_EQ_OPEN = 24;
    static final long OPS_FABRIC_TRYWAIT = 40;
    static final long OPS_DOMAIN_CQ_OPEN = 16;
    static final long OPS_DOMAIN_ENDPOINT = 24;
    static final long OPS_DOMAIN_SRX_CTX = 64;
    static final long OPS_MR_REG = 8;
    static final long OPS_CM_GETNAME = 16;
    static final long OPS_CM_GETPEER = 24;
    static final long OPS_CM_CONNECT = 32;
    static final long OPS_CM_LISTEN = 40;
    static final long OPS_CM_ACCEPT = 48;
    static final long OPS_CM_REJECT = 56;
    static final long OPS_CM_SHUTDOWN = 64;
    static final long OPS_MSG_RECV = 8;
    static final long OPS_MSG_SEND = 32;
    static final long OPS_MSG_SENDMSG = 48;
    static final long OPS_RMA_WRITE = 32;
    static final long OPS_CQ_READ = 8;
    static final long OPS_CQ_READERR = 24;
    static final long OPS_EQ_READ = 8;
    static final long OPS_EQ_READERR = 16;

    static final long CQ_ATTR_SIZE = 0;
    static final long CQ_ATTR_FORMAT = 16;
    static final long CQ_ATTR_WAIT_OBJ = 20;
    static final long EQ_ATTR_WAIT_OBJ = 16;

    static final long CQ_ENTRY_CONTEXT = 0;
    static final long CQ_ENTRY_FLAGS = 8;
    static final long CQ_ENTRY_LEN = 16;
    static final long SIZEOF_CQ_ENTRY = 24;

    static final long CQ_ERR_CONTEXT = 0;
    static final long CQ_ERR_FLAGS = 8;
    static final long CQ_ERR_ERR = 56;
    static final long CQ_ERR_PROV_ERRNO = 60;

    static final long EQ_CM_FID = 0;
    static final long EQ_CM_INFO = 8;
    static final long EQ_CM_DATA = 16;

    static final long EQ_ERR_FID = 0;
    static final long EQ_ERR_CONTEXT = 8;
    static final long EQ_ERR_ERR = 24;
    static final long EQ_ERR_PROV_ERRNO = 28;

    static final long MSG_IOV = 0;
    static final long MSG_DESC = 8;
    static final long MSG_IOV_COUNT = 16;
    static final long MSG_CONTEXT = 32;
    static final long SIZEOF_MSG = 48;
    static final long IOV_BASE = 0;
    static final long IOV_LEN = 8;
    static final long SIZEOF_IOV = 16;

    private FiLayout() {
    }
}
