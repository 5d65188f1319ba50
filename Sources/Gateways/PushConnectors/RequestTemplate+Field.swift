internal import PushTransport
internal import PushWire

extension RequestTemplate.Field {
    /// A field that PushWire prepared.
    init(_ field: HeaderField) {
        self =
            field.indexing == .never
            ? .secret(name: field.name, value: field.value) : .constant(name: field.name, value: field.value)
    }
}
