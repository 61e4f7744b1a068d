"""Spanish."""

from voice_hitl.speech.languages.pack import LanguagePack, phrases

SPANISH = LanguagePack(
    code="es",
    decimal=",",
    harmless=phrases(
        """sin problema, sin problemas, no hay problema, ningún problema, no hay ningún problema, no es problema, no
            es ningún problema, por qué no, porque no, sí por qué no, cómo no, no me importa, no me molesta, no tengo
            inconveniente, no tengo ningún inconveniente, ningún inconveniente, no hay inconveniente, sin
            inconveniente, no tengo objeción, no tengo objeciones, ninguna objeción, sin duda, sin ninguna duda, no
            hay duda, no cabe duda, sin dudarlo, no faltaba más, no lo dude, no dudes, no veo por qué no, nada que
            objetar, nada que cambiar, sin cambios"""
    ),
    unsure=phrases(
        """sí o no, sí y no, no sé, no lo sé, no estoy (seguro|segura), no (seguro|segura), quizá, quizás, tal vez, a lo
            mejor, posiblemente, probablemente, puede ser, puede que sí, depende, según, creo que sí, pienso que sí,
            supongo, supongo que sí, me imagino, ya veremos, a ver, vamos a ver, tengo que pensarlo, déjame pensar,
            déjeme pensar, déjame pensarlo, déjeme pensarlo, lo pensaré, lo voy a pensar, ni idea, no tengo idea, más o
            menos, quién sabe, diga sí, di sí, un sí, si quieres, si quiere, si puede, si puedes, si se puede, si hay,
            si no, si es que, si fuera, si acaso, si lo, no (te|le|lo|la|me) (oigo|escucho|entiendo|oí|entendí), no
            entiendo, no oigo, no escucho, ya está (hecho|hecha|reservado|reservada)"""
    ),
    no=phrases(
        """no, no no, no gracias, nop, nel, qué va, para nada, de ninguna manera, de ningún modo, en absoluto, ni
            hablar, ni loco, nunca, jamás, ahora no, por ahora no, de momento no, por el momento no, en este momento
            no, todavía no, aún no, hoy no, mejor no, preferiría que no, prefiero que no, prefiero no, no quiero, no
            lo quiero, no la quiero, no lo necesito, no necesito, no deseo, no hace falta, no es necesario, no me
            interesa, no estoy interesado, no estoy interesada, no creo, no lo creo, no estoy de acuerdo, no de
            acuerdo, no es (correcto|así|cierto|eso|verdad|exacto|lo que quiero|lo que pedí), no está bien, está mal,
            incorrecto, falso, equivocado, no lo haga, no lo hagas, no haga eso, no hagas eso, no lo reserve, no lo
            envíe, déjalo, déjelo, déjalo así, olvídalo, olvídelo, olvide eso, quizás más tarde, tal vez más tarde,
            tal vez luego, más tarde quizás, otro día, en otro momento, en otra ocasión, otra vez será, la próxima
            vez, claro que no, por supuesto que no, desde luego que no, absolutamente no, rechazado, rechazo,
            rechazar, lo rechazo, denegado, negativo, paso"""
    ),
    forbids=phrases("no, nunca, por favor no"),
    holds=phrases(
        """espera, espere, espérate, espérese, un momento, un momentito, un segundo, un minuto, un instante, momento,
            aguarda, aguarde, no tan rápido, despacio, luego, más tarde, después, más adelante, en un rato, otro día,
            pausa, dentro de poco"""
    ),
    changes=phrases(
        """pero, sin embargo, aunque, no obstante, excepto, salvo, menos, en vez, en vez de, en lugar, en lugar de,
            mejor, más bien, en realidad, de hecho, sino, prefiero, preferiría, cambia, cambie, cambiar, cambio,
            corrección, corregir, corrija, otro, otra, otros, otras, distinto, distinta, diferente, quise decir,
            quiero decir, me refería, error, me equivoqué, debería ser, debe ser, tendría que ser, perdón, perdona,
            disculpa, disculpe, lo siento, ups, lamentablemente, casi, en parte, demasiado, demasiada, muy
            (tarde|temprano|caro|lejos), al contrario, al revés, primero, mientras tanto, pensándolo bien, problema,
            lástima"""
    ),
    conditions=phrases(
        """siempre que, siempre y cuando, a menos que, a no ser que, con tal de que, solo si, sólo si, sólamente si,
            únicamente si, en caso de, o, u, antes, hasta, más, al menos, como máximo, solo, solamente, apenas, en
            cuanto, cuando, donde, si"""
    ),
    negations=phrases(
        """no, nada, nadie, ningún, ninguno, ninguna, ni, tampoco, nunca, jamás, mal, malo, mala, peor, horrible,
            imposible, contra, odio, prohibido, prohíbo"""
    ),
    halts=phrases(
        """pare, parar, para ya, para eso, para todo, alto, detén, detente, deténgase, detenga, detener, cancela,
            cancele, cancelar, cancélalo, cancélelo, anula, anule, anular, borra, borre, borrar, elimina, elimine,
            eliminar, termina, termine, terminar, cierra, cierre, cerrar, stop, aborta, abortar"""
    ),
    alters=phrases(
        """modifica, modifique, modificar, reemplaza, reemplace, añade, añada, añadir, agrega, agregue, agregar,
            quita, quite, quitar, mueve, mueva, mover, sustituye, sustituya, corrige"""
    ),
    alone=phrases("si"),
    yes=phrases(
        """sí, sip, sep, sí claro, claro, claro que sí, por supuesto, por supuesto que sí, desde luego, naturalmente,
            ciertamente, efectivamente, obvio, obviamente, seguro, seguro que sí, absolutamente, definitivamente, sin
            falta, con gusto, con mucho gusto, encantado, encantada, cómo no, afirmativo, ya lo creo, sí por favor, yes,
            si por favor, si claro, si gracias, si señor, si señora, si está bien, si adelante, si correcto, si
            perfecto, si confirmo, si de acuerdo, si quiero, si lo confirmo, si quiero eso"""
    ),
    clauses=phrases(
        """así es, lo es, sí que lo es, eso quiero, lo quiero, la quiero,
            (reservalo|reservala|reservelo|reservela|compralo|comprelo|hagalo|hazlo|envialo|envielo), me (lo|la) quedo,
            nos (lo|la) quedamos, (lo|la) (tomo|tomamos), puedes hacerlo, puede hacerlo, todo (bien|correcto|perfecto),
            todo está (bien|correcto|perfecto), si si, sí sí"""
    ),
    unfinished=phrases("el, un, una, unos, y, o, pero, para, a, de, del, al, con, en, por, que, mi, mis"),
    goes=phrases(
        """adelante, siga, sigue, prosiga, proceda, continúe, continúa, hágalo, hazlo, hazlo así, hágalo así,
            hagámoslo, hágale, dale, venga, vamos, vamos allá, confirmo, lo confirmo, se lo confirmo, confirmado,
            confirma, confirme, confírmelo, acepto, lo acepto, aceptado, apruebo, lo apruebo, aprobado, autorizo, lo
            autorizo, autorizado, estoy de acuerdo, trato hecho, inténtalo, inténtelo, pruebe, prueba, así sea,
            resérvelo, resérvalo, a favor"""
    ),
    agree=phrases(
        """muy bien, está bien, está muy bien, todo bien, perfecto, perfectamente, excelente, genial, estupendo,
            fantástico, maravilloso, magnífico, fenomenal, súper, ideal, guay, chévere, bárbaro, correcto, exacto,
            exactamente, cierto, es cierto, así es, eso es, eso mismo, justo, justo eso, precisamente, es correcto,
            está correcto, todo correcto, todo está (bien|correcto), me parece bien, me parece
            (perfecto|excelente|genial|bueno|correcto), suena bien, suena (perfecto|genial|excelente|estupendo), me
            viene bien, me va bien, me sirve, me conviene, me gusta, me encanta, me encantaría, sería
            (perfecto|genial|estupendo|bueno|ideal), estaría bien, de acuerdo con eso, tiene razón, tienes razón,
            buena idea, lo que quiero, lo que quería, eso quiero, es lo que quiero, lo tomo, la tomo, me lo quedo, me
            la quedo, conforme, satisfecho, satisfecha, listo, hecho, verdad, es verdad, funciona, me funciona"""
    ),
    acknowledges=phrases("okay, ok, okey, vale, de acuerdo, entendido, comprendido, ajá, recibido, bien"),
    closings=phrases(
        """eso es todo, es todo, nada más, eso sería todo, es todo por ahora, es todo lo que necesito, adiós, hasta
            luego, chao, buen día, que tenga buen día, ya terminé, he terminado"""
    ),
    fillers=phrases(
        """favor, eh, em, este, pues, ah, oh, mm, mmm, hmm, bueno pues, a ver si, oiga, oye, mira, mire, por favor,
            porfa, porfavor, gracias, muchas gracias, mil gracias, muy amable, muy agradecido, se lo agradezco, te lo
            agradezco, hola, buenas, buenos días, buenas tardes, buenas noches, señor, señora, señorita, ahora, ahora
            mismo, ya mismo, enseguida, inmediatamente, aquí, allí, entonces, realmente, muy, también, simplemente,
            para mí, para nosotros, conmigo, si es posible, si es tan amable, si me hace el favor, sin prisa, no hay
            prisa, por cierto, amigo, amiga, de verdad, la verdad, ya, bueno"""
    ),
    tells=phrases(
        """dime, dígame, me puede decir, me puedes decir, puede decirme, puedes decirme, podría decirme, podrías
            decirme, me podría decir, me dices, quiero saber, quisiera saber, me gustaría saber, necesito saber, sabe,
            sabes, me pregunto, deme, dame, me da, me das, muéstrame, muéstreme, puede darme, podría darme, tiene,
            tienen, tienes"""
    ),
    asks=phrases(
        """qué, cuál, cuáles, quién, quiénes, dónde, adónde, cuándo, cómo, cuánto, cuánta, cuántos, cuántas, a qué
            hora, de qué, en qué, qué hora, a qué, por qué es, para qué es, para qué sirve"""
    ),
    inversions=phrases(
        """es el, es la, es un, es una, está el, está la, está en, hay, son los, son las, puedo, podemos, debo,
            debemos, tengo que, va a, incluye, cuesta, acepta, aceptan, sirven, hace falta"""
    ),
    requests=phrases("puede, puedes, podría, podrías, quiere, quieres"),
    fetches=phrases(
        """dame, deme, dar, darme, necesito, quiero, quisiera, gustaría, envíame, envíeme, dime, dígame, decirme,
            saber, tener, conocer"""
    ),
    facts=phrases(
        """dirección, teléfono, número, precio, costo, coste, tarifa, calificación, puntuación, reseñas, ubicación,
            lugar, duración, horario, horarios, género, nombre, página, distancia, clima, parada, total, contacto"""
    ),
    kinds={
        "day": phrases(
            """lunes, martes, miércoles, jueves, viernes, sábado, domingo, enero, febrero, marzo, abril, mayo, junio,
                julio, agosto, septiembre, setiembre, octubre, noviembre, diciembre, hoy, pasado mañana, ayer, esta
                noche, fin de semana, la próxima semana, la semana que viene, esta semana, navidad, mañana, mañana por
                la mañana, mañana por la tarde, mañana por la noche"""
        ),
        "time": phrases(
            """mediodía, medianoche, de la mañana, por la mañana, tarde, de la tarde, por la tarde, noche, de la
                noche, por la noche, y media, y cuarto, menos cuarto, más temprano, temprano, madrugada"""
        ),
        "number": phrases("mitad, docena, par, un par, varios, varias, doble, cien, mil, millón, solo yo, sola"),
        "device": phrases(
            """tele, televisión, televisor, tv, cocina, dormitorio, recámara, sala, salón, comedor, baño, garaje,
                sótano, terraza, altavoz, altavoces, parlante, bocina, auriculares, portátil, tableta, dispositivo"""
        ),
        "name": phrases("a mí, a él, a ella, a ellos, a nosotros"),
        "extra": phrases(
            """subtítulos, subtítulo, económica, clase turista, primera clase, clase ejecutiva, premium, lujo,
                estándar, privado, compartido, interior, exterior, ventana, ventanilla, pasillo, vegetariano,
                vegetariana, vegano, solo ida, ida y vuelta, fumador, no fumador, para llevar"""
        ),
    },
    things=phrases(
        """película, canción, música, boleto, boletos, billete, billetes, entrada, entradas, asiento, mesa, reserva,
            reservación, cita, habitación, hotel, casa, apartamento, piso, coche, carro, auto, taxi, viaje, autobús,
            vuelo, tren, evento, concierto, partido, restaurante, pedido, pago, transferencia, compra, visita,
            estancia, reunión, llamada"""
    ),
    deeds=phrases(
        """reservar, reserve, reserva, comprar, compre, compra, pedir, pida, pide, poner, ponga, pon, reproducir,
            reproduzca, alquilar, alquile, tomar, tome, empezar, enviar, envíe, envía, transferir, transfiera, pagar,
            pague, paga, llamar, llame, agendar, agende, programar"""
    ),
    read_backs=phrases(
        """confirmar, confirme, confirma, confirmo, confirmación, correcto, detalles, verificar, verifique, datos"""
    ),
    units=phrases(
        """persona, personas, gente, adultos, niños, día, días, noche, noches, semana, semanas, mes, meses, año,
            años, hora, horas, minuto, minutos, euro, euros, dólar, dólares, peso, pesos, centavos, por ciento"""
    ),
    clock=phrases("horas, h, am, pm"),
    plain=phrases(
        """yo, tú, usted, él, ella, nosotros, ustedes, ellos, me, te, se, le, les, lo, la, los, las, nos, mi, mis,
            tu, tus, su, sus, nuestro, nuestra, el, un, una, unos, unas, esto, eso, este, esta, ese, esa, estos,
            estas, esos, esas, aquello, de, del, a, al, en, con, por, para mí, y, e, que, como, porque, es, son, soy,
            somos, era, sería, será, ser, está, están, estoy, estaba, estaría, estar, ha, he, han, haber, tengo, tiene
            que, quiero, quisiera, quiere, queremos, deseo, desea, necesito, necesita, necesitamos, gustaría, puede,
            puedes, podría, podrías, puedo ir, debe, va, voy, vamos a, ir, hacer, haga, haz, hace, me parece, parece,
            suena, todo, todos los datos, los datos, los detalles, detalles, contento, contenta, feliz, tal como, así,
            tal cual, eso sí, lo dicho, como dije, como acordamos, con eso, con esto"""
    ),
    pointers=phrases("este, esta, ese, esa, estos, estas, esos, esas"),
    halted=phrases("eso, esto, todo, ya, ahora, por favor, inmediatamente, gracias, lo, la"),
    without=phrases("sin"),
    spans=phrases("hasta, desde, antes, después"),
    binders=phrases("de, del, a, al, en, para, por, con, desde, hasta, hacia"),
    opposites=phrases("desde hasta, antes después"),
    time_leads=phrases("las, la, sobre"),
    day_leads=phrases("el, día"),
    articles=phrases("el, la, los, las, un, una, mi, mis, su, sus, tu, tus"),
    ones=phrases("un, una"),
    months=phrases(
        """enero, febrero, marzo, abril, mayo, junio, julio, agosto, septiembre, octubre, noviembre, diciembre"""
    ),
    of=phrases("de"),
    synonyms=phrases(
        """reservar reserve reserva reservación comprar compre compra pedir pida cita agendar programar, boleto
            boletos billete billetes entrada entradas asiento, película video, canción música tema, poner ponga pon
            reproducir reproduzca empezar escuchar ver, enviar envíe envía transferir transfiera transferencia pagar,
            habitación hotel alojamiento, coche carro auto taxi"""
    ),
    rivals=(phrases("autobús bus autocar, tren, vuelo avión, taxi"),),
    signs={"$": "dólares", "€": "euros", "£": "libras", "%": "porciento"},
    endings=phrases("aciones, ación, ando, iendo, ar, er, ir, os, as, es, o, a, e, s"),
    number_joints=phrases("y, coma, punto"),
    ordinal_marks=phrases("o, a, er, ero, era"),
    repeats={"doble": 2, "triple": 3},
    minus=phrases("menos"),
    halves=phrases("y medio, y media"),
    placers=phrases("número, opción, la opción"),
    last=phrases("último, última, el último, la última"),
    both=phrases("ambos, ambas, los dos, las dos"),
    every=phrases("todos, todas, todo, todos ellos, todas ellas, los tres, las tres, cada uno, cada una"),
    none=phrases(
        """ninguno, ninguna, ninguno de ellos, ninguna de ellas, ninguno de los dos, ninguna de las dos, ninguno de
            estos, ni uno ni otro, nada, nada de eso"""
    ),
    apart_from=phrases("excepto, salvo, menos, no, sin, aparte de, todo menos, pero no"),
    corrections=phrases(
        """no, perdón, perdona, quiero decir, quise decir, mejor, mejor dicho, digo, espera, corrección, en realidad,
            lo siento"""
    ),
    joins=phrases("y, e, más, también, además, con, luego"),
    either=phrases("o, u, o bien"),
    leave_it=phrases(
        """cualquiera, cualquier, lo que sea, da igual, me da igual, da lo mismo, me da lo mismo, usted decide, usted
            elige, tú decides, tú eliges, como quiera, como quieras, elija usted, lo más barato, el más barato, la más
            barata, no me importa cuál, no importa, sin preferencia, sorpréndeme"""
    ),
    leads=phrases(
        """puede, puedes, podría, podrías, me puede, me puedes, quiero, quisiera, me gustaría, necesito, puedo,
            podría usted"""
    ),
    commands={
        "repeat": phrases(
            """repite, repita, repetir, repítelo, repítalo, repita la pregunta, repetir la pregunta, otra vez, de
                nuevo, una vez más, cómo, cómo dice, cómo dijo, qué, qué dijo, qué dijiste, cuál era la pregunta,
                perdón, no (le |te |lo |)(oí|entendí|escuché), no he (oído|entendido), mande"""
        ),
        "wait": phrases(
            """espera, espere, espera un momento, espere un momento, espera un segundo, espere un segundo, un
                momento, un momentito, un segundo, un minuto, un instante, momento, aguarde, aguarda, déjame pensar,
                déjeme pensar, déjame pensarlo"""
        ),
        "options": phrases(
            """opciones, las opciones, cuáles son las opciones, cuáles son mis opciones, qué opciones hay, qué
                opciones tengo, qué puedo decir, qué puedo elegir, qué hay, cuáles son, cuáles hay, ayuda"""
        ),
        "operator": phrases(
            """operador, operadora, un operador, una operadora, agente, un agente, una persona, un humano, humano,
                una persona real, representante, un representante, hablar con (alguien|una persona|un agente|un
                operador|un humano|un representante), servicio al cliente, atención al cliente, páseme con alguien,
                comuníqueme con un agente"""
        ),
        "never_mind": phrases(
            """olvídalo, olvídelo, no importa, da igual, déjalo, déjelo, salta la pregunta, saltar la pregunta"""
        ),
    },
    prompts={
        "go_ahead": "¿Quiere que lo haga?",
        "no_input": "No le he oído.",
        "no_match": "No lo he entendido.",
        "say_yes_or_no": "Diga sí o no, por favor.",
        "confirm_keys": "O pulse {yes} para sí y {no} para no, por favor.",
        "option": "{number}: {label}.",
        "choose": "Dígame cuál, por favor.",
        "choose_several": "Dígame cuáles, por favor.",
        "say_option": "Diga cuál, o su número, por favor.",
        "choice_keys": "O pulse su número en el teclado, por favor.",
        "several_keys": "O pulse sus números y después almohadilla, por favor.",
        "say_number": "Diga solo el número, por favor.",
        "say_digits": "Diga las {count} cifras, cifra por cifra, por favor.",
        "number_keys": "O márquelo y pulse almohadilla, por favor.",
        "digits_keys": "O márquelo en el teclado, por favor.",
        "keys_only": "No lo diga en voz alta: márquelo en el teclado, por favor.",
        "say_text": "Dígalo con sus palabras, por favor.",
        "at_least": "Tiene que ser al menos {minimum}, por favor.",
        "at_most": "Tiene que ser como máximo {maximum}, por favor.",
        "between_bounds": "Tiene que ser de {minimum} a {maximum}, por favor.",
        "which": "{labels}: dígame cuál, por favor.",
        "read_back": "He oído: {value}.",
        "take_it": "¿Lo apunto así?",
        "second_yes": "Por seguridad, una vez más: ¿de verdad quiere que lo haga?",
        "tail": "¿Qué me dice?",
        "item": "{name}: {value}.",
        "true": "sí",
        "false": "no",
        "nothing": "nada",
        "and": "{first} y {last}",
        "date": "el {day} de {month}",
    },
)
