// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.codec;

import static java.lang.constant.ConstantDescs.CD_MethodHandle;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_String;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_byte;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.DEFAULT_NAME;
import static java.lang.constant.ConstantDescs.INIT_NAME;
import static java.lang.constant.ConstantDescs.ofConstantBootstrap;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes the codec of a record class: a hidden class, of which each component is one call of ByteBuffer. The class is in the
 * package of its superclass, and not in the record's, so it need not see the record class: it has the record's constructor and
 * accessors as constants, method handles in which records are of type Object. The compiler inlines those as it does calls. A
 * writer makes one class, on the thread that asks for it.
 */
public final class RecordCodecWriter {
    /** A primitive type: the end of the names of ByteBuffer's methods for it, and its size. */
    private record Primitive(String name, int bytes) {
    }

    /** A component that was looked at; {@code record} is what there is to know of its type if that is a record. */
    private record Part(String path, Class<?> type, int accessor, @Nullable Layout record) {
    }

    /** The components of a record class, and where its constructor is among the constants. */
    private record Layout(List<Part> parts, int constructor, MethodType erased) {
    }

    private static final Map<Class<?>, Primitive> PRIMITIVES = Map.of(boolean.class, new Primitive("", Byte.BYTES),
            byte.class, new Primitive("", Byte.BYTES), short.class, new Primitive("Short", Short.BYTES),
            char.class, new Primitive("Char", Character.BYTES), int.class, new Primitive("Int", Integer.BYTES),
            long.class, new Primitive("Long", Long.BYTES), float.class, new Primitive("Float", Float.BYTES),
            double.class, new Primitive("Double", Double.BYTES));

    private static final ClassDesc FIELDS = desc(RecordFields.class);
    private static final ClassDesc CLASS = desc(Class.class);
    private static final ClassDesc BUFFER = desc(ByteBuffer.class);
    private static final DirectMethodHandleDesc CLASS_DATA =
            ofConstantBootstrap(desc(MethodHandles.class), "classDataAt", CD_Object, CD_int);
    private static final MethodTypeDesc CONSTRUCTOR = MethodTypeDesc.of(CD_void, CLASS, CD_int);
    private static final MethodTypeDesc READ = MethodTypeDesc.of(CD_Object, BUFFER);
    private static final MethodTypeDesc WRITE = MethodTypeDesc.of(CD_void, CD_Object, BUFFER);
    /** The most components for which the methods written here are not too large for the compiler. */
    private static final int MOST = 512;
    private static final int VALUE = 1;
    private static final int TARGET = 2;
    private static final int MESSAGE = 1;

    private final List<MethodHandle> constants = new ArrayList<>();
    private final List<Class<?>> within = new ArrayList<>();
    private int bytes;

    private RecordCodecWriter() {
    }

    /**
     * Makes the codec of {@code type}: an instance of a new subclass of {@code base}. That has a constructor that is given the
     * class and the size of its messages, and the methods that the subclass implements: {@code void write(Object, ByteBuffer)}
     * and {@code Object read(ByteBuffer)}.
     *
     * @param owner a lookup in the package of {@code base}
     * @throws IllegalArgumentException if a component has no fixed size, or the class cannot be accessed
     */
    public static Object codec(MethodHandles.Lookup owner, Class<?> base, Class<? extends Record> type) {
        return new RecordCodecWriter().make(owner, base, type);
    }

    private Object make(MethodHandles.Lookup owner, Class<?> base, Class<? extends Record> type) {
        Layout layout = look(type, "");
        ClassDesc superclass = desc(base);
        ClassDesc name = ClassDesc.of(base.getPackageName() + "." + base.getSimpleName() + "Of" + type.getSimpleName());
        byte[] code = ClassFile.of().build(name, made -> made
                .withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER).withSuperclass(superclass)
                .withMethodBody(INIT_NAME, CONSTRUCTOR, 0, body -> body.aload(0).aload(1).iload(2)
                        .invokespecial(superclass, INIT_NAME, CONSTRUCTOR).return_())
                .withMethodBody("read", READ, 0, body -> {
                    read(layout, body);
                    body.areturn();
                })
                .withMethodBody("write", WRITE, 0, body -> {
                    write(layout, VALUE, body);
                    body.return_();
                }));
        try {
            MethodHandles.Lookup hidden = owner.defineHiddenClassWithClassData(code, List.copyOf(constants), true);
            MethodHandle constructor = hidden.findConstructor(hidden.lookupClass(),
                    MethodType.methodType(void.class, Class.class, int.class));
            return constructor.invoke(type, bytes);
        } catch (Throwable t) {
            throw new IllegalStateException("the codec of " + type.getName() + " cannot be made", t);
        }
    }

    private static ClassDesc desc(Class<?> type) {
        return type.describeConstable().orElseThrow();
    }

    // ---- what the record classes are

    /** Looks at the components of a record class, whose names are behind {@code path}. */
    private Layout look(Class<?> type, String path) {
        if (within.contains(type)) {
            throw new IllegalArgumentException("component " + path + " of " + within.getFirst().getName() + " is within a "
                    + type.getName() + " itself, so it has no fixed size: write a NetioCodec for it");
        }
        within.add(type);
        MethodHandles.Lookup lookup = lookup(type);
        List<Part> parts = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            parts.add(look(component, path.isEmpty() ? component.getName() : path + "." + component.getName(), lookup));
        }
        Class<?>[] types = parts.stream().map(Part::type).toArray(Class<?>[]::new);
        MethodType erased = MethodType.methodType(Object.class, Arrays.stream(types).map(RecordCodecWriter::erased).toList());
        try {
            int constructor = constant(lookup.findConstructor(type, MethodType.methodType(void.class, types)), erased);
            within.removeLast();
            return new Layout(parts, constructor, erased);
        } catch (ReflectiveOperationException e) {
            throw closed(type, e);
        }
    }

    private Part look(RecordComponent component, String path, MethodHandles.Lookup lookup) {
        Class<?> type = component.getType();
        Primitive primitive = PRIMITIVES.get(type);
        if (primitive == null && !type.isRecord()) {
            throw new IllegalArgumentException("component " + path + " of " + within.getFirst().getName() + " is a "
                    + type.getTypeName() + ", which has no fixed size: use boolean, byte, short, char, int, long, float, double"
                    + " or records of these, or write a NetioCodec for it");
        }
        try {
            int accessor = constant(lookup.unreflect(component.getAccessor()),
                    MethodType.methodType(erased(type), Object.class));
            if (primitive == null) {
                return new Part(path, type, accessor, look(type, path));
            }
            bytes = Math.addExact(bytes, primitive.bytes);
            return new Part(path, type, accessor, null);
        } catch (IllegalAccessException e) {
            throw closed(component.getDeclaringRecord(), e);
        }
    }

    private static Class<?> erased(Class<?> type) {
        return type.isPrimitive() ? type : Object.class;
    }

    private int constant(MethodHandle handle, MethodType as) {
        if (constants.size() == MOST) {
            throw new IllegalArgumentException(within.getFirst().getName() + " has more than " + MOST + " components, together"
                    + " with those of its records: write a NetioCodec for it");
        }
        constants.add(handle.asType(as));
        return constants.size() - 1;
    }

    /** Looks into private classes if their package is open to this module, and else into public ones only. */
    private static MethodHandles.Lookup lookup(Class<?> type) {
        RecordCodecWriter.class.getModule().addReads(type.getModule());
        try {
            return MethodHandles.privateLookupIn(type, MethodHandles.lookup());
        } catch (IllegalAccessException e) {
            return MethodHandles.lookup();
        }
    }

    private static IllegalArgumentException closed(Class<?> type, Exception cause) {
        Module own = RecordCodecWriter.class.getModule();
        return new IllegalArgumentException(type.getName() + " cannot be accessed: have the module-info of "
                + type.getModule().getName() + " say \"opens " + type.getPackageName()
                + (own.isNamed() ? " to " + own.getName() : "") + ";\", or make the class public and export its package", cause);
    }

    // ---- code

    /** Puts a new record on the stack. */
    private static void read(Layout layout, CodeBuilder body) {
        load(layout.constructor, body);
        for (Part part : layout.parts) {
            if (part.record != null) {
                read(part.record, body);
                continue;
            }
            body.aload(MESSAGE);
            if (part.type == boolean.class) {
                body.invokestatic(FIELDS, "getBoolean", MethodTypeDesc.of(CD_boolean, BUFFER));
            } else {
                body.invokevirtual(BUFFER, "get" + primitive(part).name, MethodTypeDesc.of(desc(part.type)));
            }
        }
        body.invokevirtual(CD_MethodHandle, "invokeExact", layout.erased.describeConstable().orElseThrow());
    }

    /** Writes the record in the local variable {@code value}. */
    private static void write(Layout layout, int value, CodeBuilder body) {
        for (Part part : layout.parts) {
            Layout record = part.record;
            if (record == null) {
                body.aload(TARGET);
                access(part, value, body);
                ClassDesc type = part.type == boolean.class ? CD_byte : desc(part.type);
                body.invokevirtual(BUFFER, "put" + primitive(part).name, MethodTypeDesc.of(BUFFER, type)).pop();
            } else {
                access(part, value, body);
                int inner = body.allocateLocal(TypeKind.REFERENCE);
                body.loadConstant("component " + part.path + " is null").invokestatic(FIELDS, "present",
                        MethodTypeDesc.of(CD_Object, CD_Object, CD_String)).astore(inner);
                write(record, inner, body);
            }
        }
    }

    private static Primitive primitive(Part part) {
        return Objects.requireNonNull(PRIMITIVES.get(part.type));
    }

    private static void access(Part part, int value, CodeBuilder body) {
        load(part.accessor, body);
        body.aload(value).invokevirtual(CD_MethodHandle, "invokeExact",
                MethodTypeDesc.of(desc(erased(part.type)), CD_Object));
    }

    private static void load(int constant, CodeBuilder body) {
        body.loadConstant(DynamicConstantDesc.ofNamed(CLASS_DATA, DEFAULT_NAME, CD_MethodHandle, constant));
    }
}
