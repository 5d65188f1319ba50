/// Writes one request. Get a writer from ``HTTP2Connection/begin(_:)``, and pass it to
/// ``HTTP2Connection/submit(_:tag:)`` before any other use of the connection. A writer that is dropped has no
/// effect.
///
/// Write at the beginning of ``free``, then declare what was written:
///
///     guard var request = connection.begin(template) else { return }      // no free stream
///     request.setVariable(0, length: render(path, into: request.free))
///     request.setBody(length: render(payload, into: request.free))
///     connection.submit(request, tag: message)
package struct RequestWriter {
    let memory: UnsafeMutableRawPointer
    private let room: Int
    private let variables: Int
    private var used = 0
    private(set) var bodyOffset = 0
    private(set) var bodyLength = 0
    /// One bit per variable field.
    private(set) var set: UInt32 = 0

    /// - Parameters:
    ///   - memory: Memory in the layout of ``RequestMemory``.
    ///   - room: The number of bytes for the values and the body.
    ///   - variables: The number of variable fields in the template.
    init(memory: UnsafeMutableRawPointer, room: Int, variables: Int) {
        (self.memory, self.room, self.variables) = (memory, room, variables)
    }

    /// The free part of the slot. At first, its size is ``HTTP2Configuration/slotBytes``.
    package var free: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: RequestMemory.bytes(of: memory) + used, count: room - used)
    }

    /// Declares the first `length` bytes of ``free`` as the value of this variable field.
    package mutating func setVariable(_ index: Int, length: Int) {
        precondition(length >= 0 && length <= room - used, "the header value is longer than its slot")
        precondition(index >= 0 && index < variables, "no such variable field")
        RequestMemory.setPlace(
            RequestMemory.Place(offset: UInt32(used), length: UInt32(length)), of: index, in: memory)
        set |= 1 << UInt32(index)
        used += length
    }

    /// Copies the value of a variable field. Returns false, without setting the field, if the value does not
    /// fit into the slot.
    @discardableResult
    package mutating func setVariable(_ index: Int, copying bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= room - used else { return false }
        free.copyMemory(from: bytes)
        setVariable(index, length: bytes.count)
        return true
    }

    /// Declares the first `length` bytes of ``free`` as the body. A request without a body ends with its
    /// headers.
    package mutating func setBody(length: Int) {
        precondition(length >= 0 && length <= room - used, "the body is longer than its slot")
        (bodyOffset, bodyLength) = (used, length)
        used += length
    }

    /// Copies the body. Returns false, without setting the body, if it does not fit into the slot.
    @discardableResult
    package mutating func setBody(copying bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= room - used else { return false }
        free.copyMemory(from: bytes)
        setBody(length: bytes.count)
        return true
    }
}
