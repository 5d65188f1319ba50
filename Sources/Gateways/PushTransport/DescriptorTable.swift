internal import CPushShims
internal import Glibc

/// The descriptors that the loop waits for, apart from libcurl's own, and the owners of these descriptors.
/// The cost of a turn depends on the number of ready descriptors, not on the total.
///
/// A descriptor for which neither reading nor writing is requested is not watched, because its hang-up would
/// wake the loop forever.
final class DescriptorTable {
    enum Owner {
        case foreign(Int32)
        case stream(TLSStream)
    }

    private struct Entry {
        var owner: Owner
        var reads: Bool
        var writes: Bool
    }

    /// The epoll descriptor, which is readable if one of the watched descriptors is ready.
    let epoll: Int32
    /// The owners of the descriptors, indexed by descriptor, because descriptors are small numbers.
    private var entries: ContiguousArray<Entry?> = []
    /// The ready descriptors of one turn. If more descriptors are ready, the rest come first in the next
    /// turn, because the kernel reports ready descriptors in rotation.
    private let ready = UnsafeMutablePointer<push_poll_ready>.allocate(capacity: Int(PUSH_POLL_AT_ONCE))

    init() throws(TransportError) {
        epoll = push_poll_make()
        guard epoll >= 0 else { throw TransportError(.readiness(errorNumber: errno)) }
    }

    deinit {
        if epoll >= 0 { close(epoll) }
        ready.deallocate()
    }

    func set(_ owner: Owner, descriptor: Int32, reads: Bool, writes: Bool) {
        guard reads || writes, descriptor >= 0 else { return remove(descriptor: descriptor) }
        let place = Int(descriptor)
        while entries.count <= place { entries.append(nil) }
        let isAsBefore = entries[place].map { $0.reads == reads && $0.writes == writes } ?? false
        entries[place] = Entry(owner: owner, reads: reads, writes: writes)
        if !isAsBefore { _ = push_poll_watch(epoll, descriptor, reads, writes) }
    }

    func remove(descriptor: Int32) {
        guard entries.indices.contains(Int(descriptor)), entries[Int(descriptor)] != nil else { return }
        entries[Int(descriptor)] = nil
        push_poll_forget(epoll, descriptor)
    }

    /// Waits until a descriptor is ready, but no longer than the given time. For each ready descriptor,
    /// reports its owner and the operations that are possible. An error or a hang-up is reported as readable.
    func wait(atMostMilliseconds: Int32, _ tell: (Owner, _ readable: Bool, _ writable: Bool) -> Void) {
        let count = push_poll_wait(epoll, ready, PUSH_POLL_AT_ONCE, atMostMilliseconds)
        for one in UnsafeBufferPointer(start: ready, count: Int(count)) {
            guard let entry = entries[Int(one.descriptor)] else { continue }
            tell(entry.owner, one.readable, one.writable)
        }
    }
}
