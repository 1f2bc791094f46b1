// SPDX-License-Identifier: Apache-2.0
/* Prints what the installed headers say about every number that the binding in io.reactivenetio.ffm.fabric uses: "NAME value" lines.
   With a file of macros in OURS it compares them when it is compiled, which does for processors that this machine does not have. */
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#ifdef OURS
#include OURS
#define VALUE(name) _Static_assert((long long) (name) == OURS_##name, #name)
#define OFFSET(name, type, field) _Static_assert((long long) offsetof(type, field) == OURS_##name, #name)
#define SIZE(name, type) _Static_assert((long long) sizeof(type) == OURS_##name, #name)
#else
#define VALUE(name) printf("%s %lld\n", #name, (long long) (name))
#define OFFSET(name, type, field) printf("%s %lld\n", #name, (long long) offsetof(type, field))
#define SIZE(name, type) printf("%s %lld\n", #name, (long long) sizeof(type))
#endif

static void constants(void)
{
    VALUE(FI_MSG);
    VALUE(FI_RMA);
    VALUE(FI_RECV);
    VALUE(FI_SEND);
    VALUE(FI_TRANSMIT);
    VALUE(FI_COMPLETION);
    VALUE(FI_TRANSMIT_COMPLETE);
    VALUE(FI_DELIVERY_COMPLETE);
    VALUE(FI_NUMERICHOST);
    VALUE(FI_SOURCE);
    VALUE(FI_CONTEXT);
    VALUE(FI_CONTEXT2);
    VALUE(FI_EP_MSG);
    VALUE(FI_EP_RDM);
    VALUE(FI_SHARED_CONTEXT);
    VALUE(FI_SOCKADDR_IN);
    VALUE(FI_SOCKADDR_IN6);
    VALUE(FI_MR_LOCAL);
    VALUE(FI_MR_VIRT_ADDR);
    VALUE(FI_MR_ALLOCATED);
    VALUE(FI_MR_PROV_KEY);
    VALUE(FI_THREAD_DOMAIN);
    VALUE(FI_CONNREQ);
    VALUE(FI_CONNECTED);
    VALUE(FI_SHUTDOWN);
    VALUE(FI_CQ_FORMAT_MSG);
    VALUE(FI_WAIT_NONE);
    VALUE(FI_WAIT_FD);
    VALUE(FI_TYPE_VERSION);
    VALUE(FI_GETWAIT);
    VALUE(FI_ENABLE);
    VALUE(FI_EIO);
    VALUE(FI_EAGAIN);
    VALUE(FI_EBUSY);
    VALUE(FI_ENODEV);
    VALUE(FI_ENODATA);
    VALUE(FI_EADDRINUSE);
    VALUE(FI_ECONNRESET);
    VALUE(FI_ENOTCONN);
    VALUE(FI_ECONNREFUSED);
    VALUE(FI_ECANCELED);
    VALUE(FI_EOTHER);
    VALUE(FI_EAVAIL);
    VALUE(FI_ETRUNC);
    VALUE(FI_ENOKEY);
    VALUE(AF_INET);
    VALUE(AF_INET6);
}

static void structs(void)
{
    OFFSET(INFO_NEXT, struct fi_info, next);
    OFFSET(INFO_CAPS, struct fi_info, caps);
    OFFSET(INFO_MODE, struct fi_info, mode);
    OFFSET(INFO_ADDR_FORMAT, struct fi_info, addr_format);
    OFFSET(INFO_SRC_ADDRLEN, struct fi_info, src_addrlen);
    OFFSET(INFO_DEST_ADDRLEN, struct fi_info, dest_addrlen);
    OFFSET(INFO_SRC_ADDR, struct fi_info, src_addr);
    OFFSET(INFO_DEST_ADDR, struct fi_info, dest_addr);
    OFFSET(INFO_HANDLE, struct fi_info, handle);
    OFFSET(INFO_TX_ATTR, struct fi_info, tx_attr);
    OFFSET(INFO_RX_ATTR, struct fi_info, rx_attr);
    OFFSET(INFO_EP_ATTR, struct fi_info, ep_attr);
    OFFSET(INFO_DOMAIN_ATTR, struct fi_info, domain_attr);
    OFFSET(INFO_FABRIC_ATTR, struct fi_info, fabric_attr);
    OFFSET(INFO_NIC, struct fi_info, nic);
    OFFSET(TX_SIZE, struct fi_tx_attr, size);
    OFFSET(TX_IOV_LIMIT, struct fi_tx_attr, iov_limit);
    OFFSET(RX_SIZE, struct fi_rx_attr, size);
    OFFSET(EP_TYPE, struct fi_ep_attr, type);
    OFFSET(EP_MAX_MSG_SIZE, struct fi_ep_attr, max_msg_size);
    OFFSET(EP_RX_CTX_CNT, struct fi_ep_attr, rx_ctx_cnt);
    OFFSET(DOMAIN_NAME, struct fi_domain_attr, name);
    OFFSET(DOMAIN_THREADING, struct fi_domain_attr, threading);
    OFFSET(DOMAIN_MR_MODE, struct fi_domain_attr, mr_mode);
    OFFSET(FABRIC_NAME, struct fi_fabric_attr, name);
    OFFSET(FABRIC_PROV_NAME, struct fi_fabric_attr, prov_name);
    OFFSET(FABRIC_PROV_VERSION, struct fi_fabric_attr, prov_version);
    OFFSET(FABRIC_API_VERSION, struct fi_fabric_attr, api_version);
    OFFSET(CQ_ENTRY_CONTEXT, struct fi_cq_msg_entry, op_context);
    OFFSET(CQ_ENTRY_FLAGS, struct fi_cq_msg_entry, flags);
    OFFSET(CQ_ENTRY_LEN, struct fi_cq_msg_entry, len);
    SIZE(SIZEOF_CQ_ENTRY, struct fi_cq_msg_entry);
    OFFSET(CQ_ATTR_SIZE, struct fi_cq_attr, size);
    OFFSET(CQ_ATTR_FORMAT, struct fi_cq_attr, format);
    OFFSET(CQ_ATTR_WAIT_OBJ, struct fi_cq_attr, wait_obj);
    OFFSET(EQ_ATTR_WAIT_OBJ, struct fi_eq_attr, wait_obj);
    OFFSET(CQ_ERR_CONTEXT, struct fi_cq_err_entry, op_context);
    OFFSET(CQ_ERR_FLAGS, struct fi_cq_err_entry, flags);
    OFFSET(CQ_ERR_ERR, struct fi_cq_err_entry, err);
    OFFSET(CQ_ERR_PROV_ERRNO, struct fi_cq_err_entry, prov_errno);
    OFFSET(EQ_CM_FID, struct fi_eq_cm_entry, fid);
    OFFSET(EQ_CM_INFO, struct fi_eq_cm_entry, info);
    OFFSET(EQ_CM_DATA, struct fi_eq_cm_entry, data);
    OFFSET(EQ_ERR_FID, struct fi_eq_err_entry, fid);
    OFFSET(EQ_ERR_CONTEXT, struct fi_eq_err_entry, context);
    OFFSET(EQ_ERR_ERR, struct fi_eq_err_entry, err);
    OFFSET(EQ_ERR_PROV_ERRNO, struct fi_eq_err_entry, prov_errno);
    OFFSET(MSG_IOV, struct fi_msg, msg_iov);
    OFFSET(MSG_DESC, struct fi_msg, desc);
    OFFSET(MSG_IOV_COUNT, struct fi_msg, iov_count);
    OFFSET(MSG_CONTEXT, struct fi_msg, context);
    SIZE(SIZEOF_MSG, struct fi_msg);
    OFFSET(IOV_BASE, struct iovec, iov_base);
    OFFSET(IOV_LEN, struct iovec, iov_len);
    SIZE(SIZEOF_IOV, struct iovec);
    OFFSET(SIN_PORT, struct sockaddr_in, sin_port);
    OFFSET(SIN_ADDR, struct sockaddr_in, sin_addr);
    SIZE(SIZEOF_SIN, struct sockaddr_in);
    OFFSET(SIN6_ADDR, struct sockaddr_in6, sin6_addr);
    OFFSET(SIN6_SCOPE_ID, struct sockaddr_in6, sin6_scope_id);
    SIZE(SIZEOF_SIN6, struct sockaddr_in6);
}

static void tables(void)
{
    OFFSET(FID_OPS, struct fid, ops);
    OFFSET(FABRIC_OPS, struct fid_fabric, ops);
    OFFSET(DOMAIN_OPS, struct fid_domain, ops);
    OFFSET(DOMAIN_MR, struct fid_domain, mr);
    OFFSET(EQ_OPS, struct fid_eq, ops);
    OFFSET(CQ_OPS, struct fid_cq, ops);
    OFFSET(EP_CM, struct fid_ep, cm);
    OFFSET(EP_MSG, struct fid_ep, msg);
    OFFSET(EP_RMA, struct fid_ep, rma);
    OFFSET(PEP_CM, struct fid_pep, cm);
    OFFSET(MR_MEM_DESC, struct fid_mr, mem_desc);
    OFFSET(MR_KEY, struct fid_mr, key);
    OFFSET(OPS_CLOSE, struct fi_ops, close);
    OFFSET(OPS_BIND, struct fi_ops, bind);
    OFFSET(OPS_CONTROL, struct fi_ops, control);
    OFFSET(OPS_FABRIC_DOMAIN, struct fi_ops_fabric, domain);
    OFFSET(OPS_FABRIC_PASSIVE_EP, struct fi_ops_fabric, passive_ep);
    OFFSET(OPS_FABRIC_EQ_OPEN, struct fi_ops_fabric, eq_open);
    OFFSET(OPS_FABRIC_TRYWAIT, struct fi_ops_fabric, trywait);
    OFFSET(OPS_DOMAIN_CQ_OPEN, struct fi_ops_domain, cq_open);
    OFFSET(OPS_DOMAIN_ENDPOINT, struct fi_ops_domain, endpoint);
    OFFSET(OPS_DOMAIN_SRX_CTX, struct fi_ops_domain, srx_ctx);
    OFFSET(OPS_MR_REG, struct fi_ops_mr, reg);
    OFFSET(OPS_CM_GETNAME, struct fi_ops_cm, getname);
    OFFSET(OPS_CM_GETPEER, struct fi_ops_cm, getpeer);
    OFFSET(OPS_CM_CONNECT, struct fi_ops_cm, connect);
    OFFSET(OPS_CM_LISTEN, struct fi_ops_cm, listen);
    OFFSET(OPS_CM_ACCEPT, struct fi_ops_cm, accept);
    OFFSET(OPS_CM_REJECT, struct fi_ops_cm, reject);
    OFFSET(OPS_CM_SHUTDOWN, struct fi_ops_cm, shutdown);
    OFFSET(OPS_MSG_RECV, struct fi_ops_msg, recv);
    OFFSET(OPS_MSG_SEND, struct fi_ops_msg, send);
    OFFSET(OPS_MSG_SENDMSG, struct fi_ops_msg, sendmsg);
    OFFSET(OPS_RMA_WRITE, struct fi_ops_rma, write);
    OFFSET(OPS_CQ_READ, struct fi_ops_cq, read);
    OFFSET(OPS_CQ_READERR, struct fi_ops_cq, readerr);
    OFFSET(OPS_EQ_READ, struct fi_ops_eq, read);
    OFFSET(OPS_EQ_READERR, struct fi_ops_eq, readerr);
}

int main(void)
{
    constants();
    structs();
    tables();
    return 0;
}
