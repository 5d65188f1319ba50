package import PushTransport
package import PushWire

extension RequestTemplate.Field {
    /// Creates a template's field from a header field that PushWire prepared.
    package init(_ field: HeaderField) {
        self =
            field.isSecret
            ? .secret(name: field.name, value: field.value) : .constant(name: field.name, value: field.value)
    }
}
