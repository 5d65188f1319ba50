package import PushTransport
package import PushWire

extension RequestTemplate.Field {
    /// Creates a field from a field that PushWire prepared.
    package init(_ field: HeaderField) {
        self =
            field.isSecret
            ? .secret(name: field.name, value: field.value) : .constant(name: field.name, value: field.value)
    }
}
